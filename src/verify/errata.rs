//! What the papers misprint: one list, so that none is forgotten and none is counted twice.
//!
//! A [`Check`](super::Check) that shows a misprint names it; a test sees to it that every one is shown.

/// A misprint or slip of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erratum {
    /// How checks name it: the paper, and the place in it.
    pub name: &'static str,
    /// What is printed.
    pub printed: &'static str,
    /// What is right.
    pub right: &'static str,
}

const fn erratum(name: &'static str, printed: &'static str, right: &'static str) -> Erratum {
    Erratum {
        name,
        printed,
        right,
    }
}

/// All that are known, paper by paper.
pub const ERRATA: [Erratum; 46] = [
    erratum(
        "ray (4)",
        "t* d/(u m), k u^½/(m t*^5/2)",
        "t* d/m, k u^½ t*^5/2/m",
    ),
    erratum("ray (41)", "e₂ = −5.131", "+5.114047 = (2/5)·3.5756²"),
    erratum("ray (42)", "τ₁ = 1.152", "1.150661"),
    erratum("ray (45)", "∂e/∂λ = +α τ_c,0", "−α τ_c,0"),
    erratum("ray (47)", "C = 0.744", "0.715126"),
    erratum("ray (49)", "A = 0.716", "0.715126"),
    erratum(
        "ray (58)",
        "(5/2) k ζ^5/2, from ∫F dz",
        "(2/5) k ζ^5/2, from ∫F_c dζ",
    ),
    erratum(
        "ray (A.2)",
        "√(1 − (4/5)y⁵) under the integral over y′",
        "√(1 − (4/5)y′⁵), so too in (A.3), (A.4)",
    ),
    erratum("ray 3.1", "λ ≤ 0.2 for e ≥ 0.4", "λ(0.4) = 0.22665"),
    erratum("ray 4", "(43) is within 4.9·10⁻³ for λ ≤ 0.2", "1.8·10⁻²"),
    erratum(
        "ray Table 1",
        "ε_e(0.4) = 1.34·10⁻², ε_e(0.6) = 6.05·10⁻³, ε_T(0.95) = 7.6·10⁻⁵, ε_T(1) = 0",
        "3.0·10⁻², 4.4·10⁻³, 7.6·10⁻⁶, 2.0·10⁻⁵",
    ),
    erratum(
        "ray Table 1, caption",
        "two particles",
        "a sphere and a wall",
    ),
    erratum(
        "teufelsbauer (4)",
        "a geometric mean",
        "half the harmonic mean",
    ),
    erratum("teufelsbauer (5)", "ξ̇(0) = −v₀", "+v₀"),
    erratum("teufelsbauer (10)", "ε = ξ̇(t_c)/ξ̇(0)", "−ξ̇(t_c)/ξ̇(0)"),
    erratum("teufelsbauer (12)", "(14) follows", "there is no (13)"),
    erratum("teufelsbauer (18)", "m(ξ̈ + g)", "m(ξ̈ − g), as in (16)"),
    erratum("teufelsbauer (20)", "Case 1, for the second time", "case 2"),
    erratum(
        "teufelsbauer 3",
        "the closed form holds only for m = m_eff and g = 0",
        "it holds for any masses and in gravity",
    ),
    erratum("costa (20)", "Euler's number", "e_n"),
    erratum(
        "costa (21)",
        "the line before it lacks the mass",
        "m_p g/k_n",
    ),
    erratum(
        "costa (24)",
        "t, the direction of the slip",
        "the direction of the slip at first touch",
    ),
    erratum(
        "costa (28)",
        "a condition on the capped force",
        "on the force before it is capped",
    ),
    erratum(
        "costa (32)",
        "with the relative velocity",
        "with half of it",
    ),
    erratum("costa (42)", "T/(ρ_p I_p)", "T/I_p"),
    erratum("costa (43)", "while err < err_max", "while err > err_max"),
    erratum("costa IV", "err > 10⁻⁸ Δx is small", "err < 10⁻⁸ Δx"),
    erratum("costa I", "conclusions in section IV", "in section VI"),
    erratum(
        "costa III",
        "ε = δ/R, δ the overlap (13)",
        "ε = −δ/R, the gap",
    ),
    erratum("costa Fig. 2", "4χ − 1 ≈ 4.2", "5.135"),
    erratum(
        "costa Table III",
        "δ_max/Δx = 33.6 %",
        "71 % with what is printed of the case",
    ),
    erratum(
        "costa Table IV",
        "no ν, which ψ (4) needs",
        "Ψ = u_t/u_n is compared",
    ),
    erratum("rubin (2-13)", "½m (1 − η²) […]", "(1 − η²) […]"),
    erratum("rubin (3-10)", "1/(1 + μψ₁)", "(1 + e)/(1 + μψ₁)"),
    erratum("rubin (4-7)", "1/(1 + μψ₁)", "−1 + (1 + e)/(1 + μψ₁)"),
    erratum("rubin (6-12)", "u₁(t_n)", "u₁(t₁)"),
    erratum("rubin 6.5", "G → 0", "G → 1"),
    erratum("rubin 7", "nearly 60°", "more than 60°"),
    erratum("luding (9), (10)", "r^n_s = t_c/t₁", "r^n_s ≤ t_c/t₁"),
    erratum("luding (16)", "P = (σ₁ + σ₂)/2 of (15)", "−(σ₁ + σ₂)/2"),
    erratum("luding (20)", "dp/dt = +p/t_E above it", "−p/t_E"),
    erratum("luding 4.2.3", "½(1 + r)", "½(1 + r²)"),
    erratum(
        "luding 6.1, size",
        "ν = 0.227 for L = 280 and 140",
        "0.2300",
    ),
    erratum("luding 6.1, rate", "444 s⁻¹", "449 s⁻¹ at ω₀ = 656.03 s⁻¹"),
    erratum(
        "luding 6.2",
        "c_e < 9·10⁻⁴ at t_c = 10⁻⁵ s; at 10⁻² s, t_c is the shorter time",
        "8.8·10⁻³; the longer one",
    ),
    erratum(
        "luding 6.3",
        "exp[−½(1 − r²)C_t/N]",
        "exp[−(1 − r²)C_t/N], collisions counted once",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::studies;
    use std::collections::BTreeSet;

    #[test]
    fn every_erratum_is_shown_by_a_case_and_every_case_names_one_of_the_list() {
        let listed: BTreeSet<&str> = ERRATA.iter().map(|erratum| erratum.name).collect();
        assert_eq!(listed.len(), ERRATA.len(), "a name twice");
        let all = studies();
        let checks = all.iter().flat_map(|study| &study.checks);
        let shown: BTreeSet<&str> = checks.filter_map(|check| check.misprint).collect();
        assert_eq!(listed, shown);
    }
}
