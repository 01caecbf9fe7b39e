//! The closed forms of Luding & McNamara against reference numbers.

use crate::common::{assert_close, assert_within};
use crate::reference::{list, number, reference, rows};
use lahar::laws::tc::*;

/// A formula evaluated in doubles against one evaluated in many digits.
const CLOSED_FORM: f64 = 1e-12;

#[test]
fn a_collision_is_elastic_if_either_partner_collided_just_now() {
    assert!(!is_elastic(2.0, 3.0, 1.0));
    assert!(is_elastic(1.0, 3.0, 1.0));
    assert!(is_elastic(f64::INFINITY, 0.5, 1.0));
    assert!(!is_elastic(f64::INFINITY, f64::INFINITY, 1.0));
    assert!(!is_elastic(0.0, 0.0, 0.0), "no rule, no exception");
}

#[test]
fn equation_of_state() {
    let file = reference("tc_model");
    for row in rows(&file["equation_of_state"]["data"]) {
        let what = format!("ν = {}", row[0]);
        let check = |got: f64, column: usize| assert_close(got, row[column], CLOSED_FORM, &what);
        check(contact_correlation(Dimensions::Two, row[0]), 1);
        check(excess_pressure(Dimensions::Two, row[0], 1.0), 2);
        check(contact_correlation(Dimensions::Three, row[0]), 3);
        check(excess_pressure(Dimensions::Three, row[0], 1.0), 4);
        let inelastic = excess_pressure(Dimensions::Two, row[0], 0.4);
        assert_close(inelastic, 0.7 * row[2], CLOSED_FORM, &what);
    }
}

#[test]
fn collision_rates() {
    let file = reference("tc_model");
    for example in list(&file["enskog"]["examples"]) {
        let at = |key: &str| number(&example[key]);
        let (dimensions, temperature) = match at("dim") {
            2.0 => (Dimensions::Two, at("E_over_M")),
            _ => (Dimensions::Three, at("T_over_m")),
        };
        let rate = enskog_rate(dimensions, at("a"), at("N_over_V"), temperature);
        assert_close(rate, at("rate"), CLOSED_FORM, "rate");
    }
}

#[test]
fn elastic_fractions() {
    let file = reference("tc_model");
    let table = &file["elastic_fractions"];
    let rate = number(&table["rate"]);
    for row in rows(&table["data"]) {
        let what = format!("t_c = {}", row[0]);
        assert_close(elastic_particles(row[0], rate), row[1], CLOSED_FORM, &what);
        assert_close(elastic_collisions(row[0], rate), row[2], CLOSED_FORM, &what);
    }
    let factors = &table["elastic_energy_factor_small_tc"];
    for (dimensions, key) in [(Dimensions::Two, "D2"), (Dimensions::Three, "D3")] {
        assert_close(
            elastic_energy_factor(dimensions),
            number(&factors[key]),
            CLOSED_FORM,
            key,
        );
    }
}

#[test]
fn critical_restitutions() {
    let file = reference("tc_model");
    let table = rows(&file["critical_restitution"]["data"]);
    for row in &table {
        let got = critical_restitution(row[0], row[1]);
        assert_close(got, row[3], CLOSED_FORM, &format!("N = {}", row[0]));
    }
    // As printed in section 6.1.
    for (row, printed) in table.iter().zip([0.976, 0.952, 0.906, 0.821, 0.680, 0.296]) {
        assert_within(
            critical_restitution(row[0], row[1]),
            printed,
            5e-4,
            "printed",
        );
    }
}

#[test]
fn homogeneous_cooling() {
    let file = reference("tc_model");
    for case in list(&file["homogeneous_cooling"]) {
        let r = number(&case["r"]);
        for row in rows(&case["data"]) {
            let what = format!("r = {r}, τ = {}", row[0]);
            assert_close(
                cooling(Dimensions::Two, r, row[0]),
                row[1],
                CLOSED_FORM,
                &what,
            );
            assert_close(
                cooling(Dimensions::Three, r, row[0]),
                row[2],
                CLOSED_FORM,
                &what,
            );
        }
    }
}

#[test]
fn bouncing_balls() {
    let file = reference("tc_model");
    let cases = list(&file["bouncing_ball"]);
    assert_eq!(cases.len(), 3);
    for case in cases {
        let at = |key: &str| number(&case[key]);
        let ball = Bouncing {
            speed: at("v1"),
            restitution: at("r"),
            gravity: at("g"),
        };
        let tc = at("t_c");
        #[allow(clippy::cast_precision_loss, reason = "hundreds of impacts")]
        let impacts = ball.impacts_until_static(tc) as f64;
        assert_eq!(impacts, at("n_s"));
        assert_close(ball.first_period(), at("t1"), CLOSED_FORM, "t1");
        assert_close(ball.rest_time(), at("t_s_IHS"), CLOSED_FORM, "t_s, no rule");
        assert_close(
            ball.static_time(tc),
            at("t_s_TC_exact_sum"),
            CLOSED_FORM,
            "t_s",
        );
        // 759 factors: the power is good to their number of roundings.
        assert_close(ball.static_period(tc), at("final_period"), 1e-11, "period");
        let approximate = rest_time_difference(ball.restitution, tc);
        assert_close(approximate, at("Delta_eq10"), CLOSED_FORM, "(10)");
        // (9) is exact where the last flight takes t_c.
        let paper = ball.rest_time() * (1.0 - tc / ball.first_period());
        assert_close(paper, at("t_s_TC_eq9"), CLOSED_FORM, "(9)");
        assert_close(ball.rest_time() - paper, approximate, 1e-9, "(9) and (10)");
    }
    assert_close(
        equivalent_period(1.0),
        1.102_657_790_843_584_2,
        CLOSED_FORM,
        "(13)",
    );
}
