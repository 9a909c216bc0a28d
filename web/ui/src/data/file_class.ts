// Classes of files by extension: few enough for each to have a distinguishable colour.

export const fileClasses = [
  "code",
  "document",
  "image",
  "audio",
  "video",
  "archive",
  "binary",
  "other",
] as const;
export type FileClass = (typeof fileClasses)[number];

export const classNames: Readonly<Record<FileClass, string>> = {
  code: "Code",
  document: "Documents",
  image: "Images",
  audio: "Audio",
  video: "Video",
  archive: "Archives",
  binary: "Programs",
  other: "Other",
};

const extensions: Readonly<Record<Exclude<FileClass, "other">, string>> = {
  code: `ada adb ads asm awk bas bat c cc cl cmake coffee cpp cs css cu cxx d dart diff el elm erl ex exs f f77 f90 f95
    fs go gradle groovy h hh hpp hs hxx inc inl ipynb java jl js jsx kt kts less lisp lua m m4 mjs ml mli mm mod nim pas
    patch php pl pm pod proto ps1 py pyi pyx qml r rb rkt rs s sass scala scm scss sh sql sv swift tcl tex ts tsx v vala
    vb vhd vhdl vim vue zig zsh map`,
  document: `adoc asc bib cfg changes cnf conf csv desktop dic doc docx dtd eml epub htm html info ini json jsonl kml
    log lst man markdown md mdx mo mobi nfo odg odp ods odt org pdf po pot ppt pptx properties ps rst rtf srt sub svgz
    toml tsv txt xhtml xls xlsx xml xsd xsl xslt yaml yml 1 2 3 4 5 6 7 8`,
  image: `avif bmp cr2 cur dds dng eps exr gif hdr heic heif icns ico jfif jpeg jpg jxl nef otf pbm pcx pfb pgm png
    pnm ppm psd raw svg tga tif tiff ttc ttf webp woff woff2 xbm xcf xpm`,
  audio: `aac ac3 aif aiff alac amr ape au dsf flac it m4a m4b mid midi mka mod mp2 mp3 mpc oga ogg opus ra s3m sf2
    snd wav wma wv xm`,
  video: `3gp asf avi divx dv f4v flv h264 hevc m1v m2ts m2v m4v mkv mov mp4 mpe mpeg mpg mts mxf ogm ogv rm rmvb vob
    webm wmv y4m`,
  archive: `7z apk arrow bak br bz2 cab cache cpio crate dat db db3 deb dmg dump ear feather gem gz h5 hdf5 idx img iso
    jar ldb lmdb lz lz4 lzma mdb msi nc npy npz ost pack parquet pkg pst qcow2 rar rdb rpm snap sqlite sqlite3 sst tar
    tbz tgz txz vdi vhd vhdx vmdk wal war whl xz z zip zst`,
  binary: `a bin bundle class com dbg debug dll dylib efi elc exe fw hex ko la lib lo mexa64 node o obj out pdb pyc pyd
    pyo rlib rmeta rom so sys wasm`,
};

const classByExtension = new Map<string, FileClass>();
for (const [name, list] of Object.entries(extensions)) {
  for (const extension of list.split(/\s+/)) {
    if (!classByExtension.has(extension)) classByExtension.set(extension, name as FileClass);
  }
}

const library = /\.so(\.\d+)+$/; // libc.so.6

/** The text after the last dot, in lower case; leading dots do not count. */
export function extensionOf(name: string): string {
  const body = name.replace(/^\.+/, "");
  const dot = body.lastIndexOf(".");
  return dot < 0 ? "" : body.slice(dot + 1).toLowerCase();
}

/** The class of a file with that name, given as text. */
export function classOf(name: string): FileClass {
  if (library.test(name)) return "binary";
  return classByExtension.get(extensionOf(name)) ?? "other";
}

/** The class of files with that extension. */
export function classOfExtension(extension: string): FileClass {
  return classByExtension.get(extension.toLowerCase()) ?? "other";
}

const executable = 0o111;

/** The properties of an entry that determine its class. */
export interface Classified {
  readonly name: string;
  readonly kind: string;
  readonly mode: number | null;
}

/** The class of an entry. An executable file without a known extension is a program. */
export function classOfEntry({ kind, name, mode }: Classified): FileClass {
  if (kind !== "file") return "other";
  const itsClass = classOf(name);
  return itsClass === "other" && ((mode ?? 0) & executable) !== 0 ? "binary" : itsClass;
}

/** Whether what follows the last dot is a number, as in kubectl.1.33, and so is not a type. */
export function endsInNumber(name: string): boolean {
  return /^\d+$/.test(extensionOf(name));
}
