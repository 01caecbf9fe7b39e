//! Particles that say which they are: listed in any order, they make the same scene.

use super::*;

const ITEMS: [&str; 3] = [
    "{ id = 0, position = [0.5, 0.5, 0.1], radius = 0.1 }",
    "{ id = 1, position = [0.5, 0.5, 0.4], radius = 0.05, velocity = [1, 2, 3] }",
    "{ id = 2, position = [0.5, 0.5, 0.7], radius = 0.02, fixed = true }",
];

fn list(items: &[&str]) -> String {
    with_particles(&table(items))
}

fn table(items: &[&str]) -> String {
    let items = items.join(",\n    ");
    format!("[[particles]]\nkind = \"list\"\nmaterial = \"glass\"\nitems = [\n    {items},\n]\n")
}

/// A scene and the file `grains.csv` beside it.
fn with_file(csv: &str, keys: &str, more: &str) -> lahar::Result<Scene> {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("grains.csv"), csv).expect("a particle file");
    let text = with_particles(&format!(
        "[[particles]]\nkind = \"file\"\npath = \"grains.csv\"\nmaterial = \"glass\"\n{keys}\n{more}"
    ));
    Scene::from_toml(&text, Some(&directory.path().join("scene.toml")))
}

#[test]
fn the_order_of_a_list_does_not_matter() {
    let want = read_good(&list(&ITEMS));
    let unnamed = list(&ITEMS).replace("id = 0, ", "").replace("id = 1, ", "");
    assert_eq!(read_good(&unnamed.replace("id = 2, ", "")), want);
    let [a, b, c] = ITEMS;
    for items in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
        assert_eq!(read_good(&list(&items)), want);
    }
    // Nor does it matter which table they are in.
    let tables = table(&[c]) + &table(&[b]) + &table(&[a]);
    assert_eq!(read_good(&with_particles(&tables)), want);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let rows = ["2,.5,.5,.7,.02", "0,.5,.5,.1,.1", "1,.5,.5,.4,.05"];
    let file = |rows: &[&str]| format!("id,x,y,z,radius\n{}\n", rows.join("\n"));
    let want = with_file(
        "x,y,z,radius\n.5,.5,.1,.1\n.5,.5,.4,.05\n.5,.5,.7,.02\n",
        "",
        "",
    );
    let want = want.expect("a scene");
    let [c, a, b] = rows;
    for rows in [[a, b, c], [a, c, b], [c, b, a], [c, a, b]] {
        assert_eq!(with_file(&file(&rows), "", "").expect("a scene"), want);
    }
    // Some in the file, some in a list.
    let listed = table(&["{ id = 1, position = [0.5, 0.5, 0.4], radius = 0.05 }"]);
    let both = with_file(&file(&[c, a]), "", &listed);
    assert_eq!(both.expect("a scene"), want);
}

/// One mistake in a list: where it is, and parts of what is said.
#[track_caller]
fn check(text: &str, key: &str, at: &str, found: &str, allowed: &str) {
    let error = complaint(text);
    let shown = error.to_string();
    assert_eq!(error.key, key, "{shown}");
    assert_eq!(error.line, Some(line_of(text, at)), "{shown}");
    assert!(error.found.contains(found), "{shown}");
    assert!(error.allowed.contains(allowed), "{shown}");
}

#[test]
fn mistakes_in_lists_name_the_item() {
    let [a, b, c] = ITEMS;
    let [_, without, _] = ITEMS.map(|item| item.replace("id = 1, ", ""));
    let text = list(&[c, &without, a]);
    let key = "particles[0].items[1].id";
    check(
        &text,
        key,
        &without,
        "nothing",
        "each particle of the scene, or for none",
    );
    let text = list(&[&without, c, a]);
    check(
        &text,
        "particles[0].items[0].id",
        &without,
        "nothing",
        "or for none",
    );
    let text = list(&[c, b, c]);
    let last = "particles[0].items[2].id";
    let error = complaint(&text);
    assert_eq!(
        (error.key.as_str(), error.line),
        (last, Some(line_of(&text, c) + 2))
    );
    assert_eq!(error.found, "2 a second time");
    assert_eq!(error.allowed, "each number from 0 to 2 once");
    for (number, found) in [("3", "3"), ("7", "7"), ("4294967295", "4294967295")] {
        let beyond = b.replace("id = 1", &format!("id = {number}"));
        check(
            &list(&[c, a, &beyond]),
            last,
            &beyond,
            found,
            "from 0 to 2 once",
        );
    }
    for (number, found) in [("4294967296", "4294967296"), ("-1", "-1"), ("1.0", "1")] {
        let unfit = b.replace("id = 1", &format!("id = {number}"));
        check(
            &list(&[c, a, &unfit]),
            last,
            &unfit,
            found,
            "a whole number",
        );
    }
}

#[test]
fn mistakes_that_show_later_name_the_item_and_the_id() {
    let [a, b, c] = ITEMS;
    let outside = b.replace("0.4]", "7]");
    let text = list(&[c, a, &outside]);
    let key = "particles[0].items[2].position";
    check(
        &text,
        key,
        &outside,
        "particle 1 of the scene",
        "inside the domain",
    );
}

#[test]
fn generated_particles_have_no_ids() {
    let lattice = "[[particles]]\nkind = \"lattice\"\nmaterial = \"glass\"\nradius = 0.1\ncount = 1\n\
                   lower = [0, 0, 0.8]\nupper = [1, 1, 1]\n";
    let text = with_particles(&(table(&ITEMS) + lattice));
    let error = complaint(&text);
    assert_eq!(error.key, "particles[1].id");
    assert_eq!(error.line, Some(line_of(&text, lattice)));
    assert!(
        error.allowed.contains("generated ones have none"),
        "{error}"
    );
    let text = with_particles(&(lattice.to_owned() + &table(&ITEMS)));
    assert_eq!(complaint(&text).key, "particles[0].id");
}

#[test]
fn mistakes_in_files_name_the_row() {
    let line = |csv: &str, keys: &str| match with_file(csv, keys, "") {
        Err(Error::Scene(error)) => error,
        other => panic!("{other:?}"),
    };
    let error = line("x,y,z,radius,id\n.5,.5,.1,.1,0\n.5,.5,.5,.1,0\n", "");
    assert_eq!((error.key.as_str(), error.line), ("column id", Some(3)));
    assert!(error.file.is_some_and(|file| file.ends_with("grains.csv")));
    let error = line("x,y,z,radius,id\n.5,.5,.1,.1,2\n.5,.5,.5,.1,0\n", "");
    assert_eq!((error.key.as_str(), error.line), ("column id", Some(2)));
    for id in ["-1", "one", "", "0.5", "4294967296"] {
        let error = line(&format!("x,y,z,radius,id\n.5,.5,.1,.1,{id}\n"), "");
        assert_eq!((error.key.as_str(), error.line), ("column id", Some(2)));
        assert!(error.allowed.contains("a whole number from 0"), "{error}");
    }
    let copies = "repeat = [2, 1, 1]\nperiod = [0.3, 0, 0]";
    let error = line("x,y,z,radius,id\n.2,.5,.1,.1,0\n", copies);
    assert_eq!(error.key, "particles[0].repeat");
    assert!(error.found.contains("column id"), "{error}");
}
