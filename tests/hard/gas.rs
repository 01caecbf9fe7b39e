//! Gases of hard grains: what is conserved, and what kinetic theory expects.
