//! `lahar new`: a scene to start from.

use super::print;
use crate::error::{Error, Result};
use crate::scene::Scene;
use clap::Args;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar new heap            write heap.toml; an existing file is never replaced
  lahar new runs/heap       … in the directory runs")]
pub(super) struct NewArguments {
    /// Name of the scene; NAME.toml is written
    name: PathBuf,
}

pub(super) fn new(arguments: &NewArguments) -> Result<ExitCode> {
    let mut path = arguments.name.clone();
    if path.extension().is_none() {
        path.set_extension("toml");
    }
    // An existing scene is never overwritten.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|e| Error::io(&path, "create scene", e))?;
    file.write_all(Scene::example().as_bytes())
        .map_err(|e| Error::io(&path, "write scene", e))?;
    let shown = path.display();
    print(&format!(
        "wrote {shown}: 2000 grains poured into a box, every key explained\n\
         next: lahar check {shown}, then lahar run {shown}"
    ))?;
    Ok(ExitCode::SUCCESS)
}
