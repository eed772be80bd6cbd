//! Where tables are looked for.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bytesize::ByteSize;
use damka::builder::most_pieces;
use damka::probe::{OpenOptions, ProbeError};
use damka::{Tablebase, Variant};

use super::exit::CliError;
use super::text::{bytes, quoted};

/// Name of the variable that lists folders.
pub const VARIABLE: &str = "DAMKA_PATH";
/// Where nothing else is said.
pub const DEFAULT: &str = "tables";

/// Folders of tables.
#[derive(clap::Args)]
pub struct Folders {
    /// Folder of tables; may be given several times, the first that has a table counts [default:
    /// those in DAMKA_PATH, else `tables` and the folder for the user's data, see `damka info`].
    #[arg(long = "db", value_name = "FOLDER")]
    db: Vec<PathBuf>,
    /// Most memory for decoded blocks, like 1G.
    #[arg(long, value_name = "BYTES", default_value = "64MiB", value_parser = bytes, allow_negative_numbers = true)]
    cache: ByteSize,
    /// Read table files instead of mapping them into memory, as is done for `--stdin` anyway: a disk that fails is then an error and not
    /// a crash.
    #[arg(long)]
    no_map: bool,
}

/// Folders in `DAMKA_PATH`; none if it is not set, or empty.
pub fn in_environment() -> Vec<PathBuf> {
    let list = env::var_os(VARIABLE).unwrap_or_default();
    env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Where nothing else is said: `tables` in the current folder, then the folder for data of the user's programs.
pub fn by_default() -> Vec<PathBuf> {
    let data = dirs::data_dir().map(|data| data.join("damka").join(DEFAULT));
    [PathBuf::from(DEFAULT)].into_iter().chain(data).collect()
}

impl Folders {
    /// Whether the user has said where.
    fn are_named(&self) -> bool {
        !self.db.is_empty() || !in_environment().is_empty()
    }

    /// The folders, in the order in which they are searched: of those that nobody has named, the ones that are there, or the first.
    pub fn list(&self) -> Vec<PathBuf> {
        if !self.db.is_empty() {
            return self.db.clone();
        }
        let folders = in_environment();
        if !folders.is_empty() {
            return folders;
        }
        let there: Vec<PathBuf> = by_default().into_iter().filter(|path| path.is_dir()).collect();
        if there.is_empty() { vec![DEFAULT.into()] } else { there }
    }

    /// Where tables are looked for and why there, in words.
    pub fn in_words(&self) -> String {
        let (folders, why) = match (self.db.is_empty(), self.are_named()) {
            (false, _) => (self.list(), "as --db says".to_owned()),
            (true, true) => (self.list(), format!("as {VARIABLE} says")),
            (true, false) => (by_default(), "by default".to_owned()),
        };
        let names: Vec<String> = folders
            .iter()
            .map(|path| match path.is_dir() {
                true => path.display().to_string(),
                false => format!("{} (not there)", path.display()),
            })
            .collect();
        format!("{}, {why}", names.join(", "))
    }

    /// Opens the tables of a variant for a command that ends when its work is done.
    pub fn open(&self, variant: Variant) -> anyhow::Result<Tablebase> {
        self.open_with(variant, self.options())
    }

    fn options(&self) -> OpenOptions {
        let options = OpenOptions::new().cache_bytes(self.cache.as_u64());
        if self.no_map {
            return options;
        }
        // SAFETY: a build replaces tables, and does not change them; docs/cli.md asks the same of others, and says what happens if a file
        // is changed or a disk fails all the same.
        unsafe { options.map_files() }
    }

    fn open_with(&self, variant: Variant, options: OpenOptions) -> anyhow::Result<Tablebase> {
        self.open_list(variant, options, self.list())
    }

    /// Like [`Folders::open`], but for a command that does without tables where nobody has named a folder. One that serves answers as long
    /// as it is asked, and must not end with a disk or a file: it reads, which takes no longer with the default cache, and 2% with one
    /// of 1 MiB (docs/cli.md).
    pub fn open_if_any(&self, variant: Variant, serves: bool) -> anyhow::Result<Tablebase> {
        let options = match serves {
            true => OpenOptions::new().cache_bytes(self.cache.as_u64()),
            false => self.options(),
        };
        let mut folders = self.list();
        if !self.are_named() {
            folders.retain(|path| path.is_dir());
        }
        self.open_list(variant, options, folders)
    }

    fn open_list(
        &self,
        variant: Variant,
        options: OpenOptions,
        folders: Vec<PathBuf>,
    ) -> anyhow::Result<Tablebase> {
        for path in &folders {
            if !path.is_dir() {
                return Err(self.no_folder(path, variant).into());
            }
        }
        Ok(Tablebase::open_with(variant, &folders, options)?)
    }

    fn no_folder(&self, path: &Path, variant: Variant) -> CliError {
        let hint = match (self.db.is_empty(), path == Path::new(DEFAULT)) {
            (true, true) => {
                let others = by_default().into_iter().skip(1);
                let others: String =
                    others.map(|path| format!(", nor {}", path.display())).collect();
                format!("{others} (`{}` makes it)", self.command(variant, 4))
            }
            (true, false) => format!(", which {VARIABLE} names"),
            (false, _) => String::new(),
        };
        CliError::MissingFolder { path: path.to_owned(), hint }
    }

    /// Makes sure that a folder is there and can be listed.
    pub fn check(&self, path: &Path) -> anyhow::Result<()> {
        if !path.is_dir() {
            return Err(self.no_folder(path, Variant::ALL[0]).into());
        }
        fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(())
    }

    /// Opens the tables of a variant in some folders.
    pub fn open_among(&self, variant: Variant, folders: &[PathBuf]) -> io::Result<Tablebase> {
        Tablebase::open_with(variant, folders, self.options())
    }

    /// [`Folders::open`], with at least one table.
    pub fn open_some(&self, variant: Variant) -> anyhow::Result<Tablebase> {
        let tables = self.open(variant)?;
        if tables.found().is_empty() {
            let names: Vec<_> = self.list().iter().map(|path| path.display().to_string()).collect();
            return Err(CliError::NoTables {
                variant: variant.name(),
                folders: names.join(", "),
                command: self.command(variant, 4),
            }
            .into());
        }
        Ok(tables)
    }

    /// The error, with what helps where a table is missing: a command, if there is one that builds it.
    pub fn explain(&self, error: ProbeError) -> anyhow::Error {
        self.explain_with(error, |_| String::new())
    }

    /// [`Folders::explain`], with more to say of the command for so many pieces.
    pub fn explain_with(&self, error: ProbeError, more: impl Fn(u32) -> String) -> anyhow::Error {
        let (variant, pieces) = match &error {
            ProbeError::Missing { variant, slice, .. } if !slice.exists_in(variant.rules()) => {
                let advice = "no such slice in this variant".to_owned();
                return CliError::MissingTable { error, advice }.into();
            }
            ProbeError::Missing { variant, slice, .. } => (*variant, slice.pieces()),
            ProbeError::TooManyPieces { variant, pieces } => (*variant, *pieces),
            _ => return error.into(),
        };
        let most = most_pieces(variant);
        let advice = match pieces <= most {
            true => format!("`{}` makes it{}", self.command(variant, pieces), more(pieces)),
            false => format!("beyond what can be built: at most {most} pieces"),
        };
        CliError::MissingTable { error, advice }.into()
    }

    /// The folder that this command builds into.
    pub fn to_build_in(&self) -> PathBuf {
        let named = self.db.first().cloned().or_else(|| in_environment().into_iter().next());
        named.unwrap_or_else(|| DEFAULT.into())
    }

    /// The command that builds tables in the first of these folders.
    pub fn command(&self, variant: Variant, pieces: u32) -> String {
        let db = match self.db.first() {
            Some(folder) => format!(" --db {}", quoted(&folder.to_string_lossy())),
            None => String::new(),
        };
        format!("damka build {variant} --pieces {pieces}{db}")
    }
}
