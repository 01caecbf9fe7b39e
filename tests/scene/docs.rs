//! The scenes in `docs/scene.md` are right, and every key has its place there.

use super::*;
use toml_edit::DocumentMut;

const DOCS: &str = include_str!("../../docs/scene.md");

/// The code blocks that begin with a fence of this kind.
pub(crate) fn blocks(fence: &str) -> Vec<&'static str> {
    let opening = format!("```{fence}\n");
    DOCS.split(opening.as_str())
        .skip(1)
        .map(|rest| rest.split("\n```").next().expect("a block ends"))
        .collect()
}

/// The complete scene of the documentation with the tables of a fragment instead of its own.
pub(crate) fn completed(fragment: &str) -> String {
    let mut scene: DocumentMut = blocks("toml")[0].parse().expect("TOML");
    let fragment: DocumentMut = fragment.parse().expect("TOML");
    for (key, item) in fragment.iter() {
        scene.insert(key, item.clone());
    }
    scene.to_string()
}

#[test]
fn complete_scenes_read() {
    let blocks = blocks("toml");
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        read_good(block);
    }
}

#[test]
fn fragments_read() {
    let directory = tempfile::tempdir().expect("a directory");
    crate::fuzz::write_bed(directory.path());
    let file = directory.path().join("scene.toml");
    let fragments = blocks("toml,fragment");
    assert!(fragments.len() >= 13, "only {} fragments", fragments.len());
    for fragment in fragments {
        let text = completed(fragment);
        if let Err(error) = Scene::from_toml(&text, Some(&file)) {
            panic!("{error}\nin the fragment\n{fragment}");
        }
    }
}

/// Every key that a complaint about an unknown one lists is described.
#[test]
fn every_key_is_described() {
    let unknown = "unknown = 1\n";
    let texts = [
        format!("{unknown}{BASE}"),
        changed("[domain]", &format!("[domain]\n{unknown}")),
        changed("[time]", &format!("[time]\n{unknown}")),
        changed("[contact]", &format!("[contact]\n{unknown}")),
        changed("name = \"glass\"", &format!("name = \"glass\"\n{unknown}")),
        changed("friction = 0.3", &format!("friction = 0.3\n{unknown}")),
        changed("kind = \"list\"", &format!("kind = \"list\"\n{unknown}")),
        changed("kind = \"list\"", &format!("kind = \"lattice\"\n{unknown}")),
        changed("kind = \"list\"", &format!("kind = \"random\"\n{unknown}")),
        changed("kind = \"list\"", &format!("kind = \"file\"\n{unknown}")),
        changed("kind = \"plane\"", &format!("kind = \"plane\"\n{unknown}")),
        changed("kind = \"plane\"", &format!("kind = \"box\"\n{unknown}")),
        changed(
            "kind = \"plane\"",
            &format!("kind = \"cylinder\"\n{unknown}"),
        ),
        changed("kind = \"plane\"", &format!("kind = \"sphere\"\n{unknown}")),
        changed("kind = \"plane\"", &format!("kind = \"cone\"\n{unknown}")),
        format!("{BASE}[fluid]\n{unknown}"),
        format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication]\n{unknown}"),
        format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication.walls]\n{unknown}"),
        format!("{BASE}[neighbours]\n{unknown}"),
        format!("{BASE}[output]\n{unknown}"),
    ];
    let mut seen = 0;
    for text in texts {
        // An unknown key of the wall makes its other keys unknown as well: any list will do.
        let error = complaint(&text);
        let keys = error
            .allowed
            .split_once("keys ")
            .map_or("", |(_, keys)| keys);
        assert!(!keys.is_empty(), "{error}");
        for key in keys.trim_start_matches("here: ").split(", ") {
            assert!(
                DOCS.contains(&format!("`{key}`")) || DOCS.contains(&format!(".{key}`")),
                "{key}"
            );
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}
