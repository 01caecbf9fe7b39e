//! The contact laws: what two touching grains do to each other, as pure functions.
//!
//! A law takes numbers and vectors in SI units and returns a force, a moment, an energy or a
//! coefficient. It knows nothing of particles, neighbour lists or time steps, so every function
//! here can be checked against a formula on paper — and is, in `tests/laws.rs`. Engines add the
//! loops.
//!
//! # Conventions
//!
//! | symbol | meaning |
//! |---|---|
//! | `n` | unit normal, **from i to j** |
//! | `δ` | overlap in m, sum of the radii less distance of the centres; `δ > 0` in contact |
//! | `δ̇` | overlap rate in m/s; `δ̇ > 0` while the grains approach |
//! | `F_n` | normal force in N; `F_n > 0` pushes the grains apart; the force on i is `−F_n n` |
//! | `u_t` | slip in m/s: tangential part of the velocity of i's contact point *relative to* j's |
//! | `F_t` | tangential force in N **on i** (on j: `−F_t`); it opposes `u_t` |
//! | `M` | rolling moment in N m **on i** (on j: `−M`); it opposes `ω_i − ω_j` |
//! | `m*`, `R*` | reduced mass and radius, `ab/(a + b)`; with a wall, those of the grain |
//!
//! The velocity at the contact is `u = u_i − u_j + (R_i ω_i + R_j ω_j)×n`, with `δ̇ = u·n` and
//! `u_t = u − δ̇ n`. The torque of the tangential force is `R_i n×F_t` on i and `R_j n×F_t` on j.
//! The lever arm is the whole radius, as in Costa et al. (11), (30). Seen from j the normal, `u_t`,
//! `ξ` and `F_t` change sign while `δ`, `δ̇` and `F_n` do not: a pair evaluated from either side
//! gives opposite forces.
//!
//! Energies are potentials of the force in the overlap: `F_n = dU/dδ`, since pushing the grains
//! together by `dδ` stores `F_n dδ`. Elastic forces are zero for `δ ≤ 0`; a damping force takes no
//! overlap unless the law has one, so the caller decides whether there is a contact.
//!
//! # Map
//!
//! | module | laws |
//! |---|---|
//! | [`end`] | when a contact with a dashpot ends |
//! | [`material`] | reduced and effective quantities of a pair, Rayleigh time |
//! | [`linear`] | linear spring and dashpot, with its closed-form collision |
//! | [`stretched`] | linear coefficients for a chosen restitution and collision time |
//! | [`hertz`] | Hertzian spring and its elastic collision |
//! | [`damping`] | dampers for the Hertzian spring: constant, Tsuji, Kuwabara–Kono |
//! | [`collision`] | exact head-on collisions of the damped Hertzian spring |
//! | [`adaptive`] | Hertzian coefficients for a chosen restitution and collision time |
//! | [`tangential`] | friction: Coulomb, linear spring and slider, Mindlin spring and slider |
//! | [`impulse`] | friction of collisions: soft contacts that transmit the impulse of a hard rule |
//! | [`rolling`] | rolling resistance: constant, elastic–plastic spring |
//! | [`lubrication`] | the film between grains that approach in a fluid (no engine uses it yet) |
//! | [`cohesion`] | adhesion: DMT, JKR, and the simplified JKR of constant energy density |
//! | [`hard_sphere`] | instantaneous collisions of hard grains: smooth, Walton, Rubin, viscoelastic |
//! | [`tc`] | when a hard collision loses nothing; kinetic theory of a gas of hard grains |
//!
//! Functions called at every step for every contact use nothing slower than a square root (JKR: one
//! cube root), and select instead of branching, so that a loop over contacts can be vectorised.
//! Functions of a collision as a whole (restitution, contact time, coefficients) are for set-up,
//! for the first touch, and for checks.
//!
//! # Sources
//!
//! * Ai, Chen, Rotter, Ooi, *Assessment of rolling resistance models in discrete element
//!   simulations*, Powder Technol. 206 (2011) 269, doi:10.1016/j.powtec.2010.09.030
//! * Brilliantov, Spahn, Hertzsch, Pöschel, *Model for collisions in granular gases*, Phys. Rev. E
//!   53 (1996) 5382, doi:10.1103/PhysRevE.53.5382
//! * Costa, Boersma, Westerweel, Breugem, *Collision model for fully resolved simulations of flows
//!   laden with finite-size particles*, Phys. Rev. E 92 (2015) 053012,
//!   doi:10.1103/PhysRevE.92.053012
//! * Derjaguin, Muller, Toporov, *Effect of contact deformations on the adhesion of particles*, J.
//!   Colloid Interface Sci. 53 (1975) 314, doi:10.1016/0021-9797(75)90018-1
//! * Iwashita, Oda, *Rolling resistance at contacts in simulation of shear band development by
//!   DEM*, J. Eng. Mech. 124 (1998) 285
//! * Johnson, Kendall, Roberts, *Surface energy and the contact of elastic solids*, Proc. R. Soc.
//!   Lond. A 324 (1971) 301, doi:10.1098/rspa.1971.0141
//! * Kempe, Fröhlich, *Collision modelling for the interface-resolved simulation of spherical
//!   particles in viscous fluids*, J. Fluid Mech. 709 (2012) 445, doi:10.1017/jfm.2012.343
//! * Kuwabara, Kono, *Restitution coefficient in a collision between two spheres*, Jpn. J. Appl.
//!   Phys. 26 (1987) 1230, doi:10.1143/JJAP.26.1230
//! * Luding, McNamara, *How to handle the inelastic collapse of a dissipative hard-sphere gas with the
//!   TC model*, Granular Matter 1 (1998) 113, doi:10.1007/s100350050017
//! * Mindlin, *Compliance of elastic bodies in contact*, J. Appl. Mech. 16 (1949) 259
//! * Ray, Kempe, Fröhlich, *Efficient modelling of particle collisions using a non-linear
//!   viscoelastic contact force*, Int. J. Multiphase Flow 76 (2015) 101
//! * Rubin, *A simple hard-particle collision model with a smooth transition to full slip*, J. Mech.
//!   Mater. Struct. 11 (2016) 161, doi:10.2140/jomms.2016.11.161
//! * Schwager, Pöschel, *Coefficient of restitution and linear-dashpot model revisited*, Granular
//!   Matter 9 (2007) 465, doi:10.1007/s10035-007-0065-z
//! * Teufelsbauer, Hübl, Wu, *A revision of the linear-dashpot model applied in PFC*, Contemp. Eng.
//!   Sci. 2 (2009) 165
//! * Tsuji, Tanaka, Ishida, *Lagrangian numerical simulation of plug flow of cohesionless particles
//!   in a horizontal pipe*, Powder Technol. 71 (1992) 239, doi:10.1016/0032-5910(92)88030-L

pub mod adaptive;
pub mod cohesion;
pub mod collision;
pub mod damping;
pub mod end;
pub mod fluid;
pub mod hard_sphere;
pub mod hertz;
pub mod impulse;
pub mod linear;
pub mod lubrication;
pub mod material;
pub mod number;
pub mod rolling;
pub mod stretched;
pub mod tangential;
pub mod tc;

pub use end::{ContactEnd, ended_normal_force};
