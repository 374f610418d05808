import { extension } from './languages.ts';

/** Extensions of binary files, by kind. */
const ENDINGS = {
  images: 'png jpg jpeg gif webp heic tif tiff bmp ico psd raw',
  sound: 'mp3 wav flac ogg m4a',
  videos: 'mp4 mov mkv avi webm',
  archives: 'zip gz tgz xz bz2 zst 7z rar tar jar',
  programs: 'exe dll so dylib o a class wasm',
  databases: 'db sqlite sqlite3',
  documents: 'pdf doc docx xls xlsx ppt pptx odt',
  fonts: 'ttf otf woff woff2',
  'data sets': 'parquet npy npz h5',
  models: 'safetensors onnx gguf pt',
  'binary data': 'bin dat',
} as const;

const KIND_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind] as const)),
);

/** Returns the most common kind of binary files, if more than half of the files are binary. */
export function mostlyBinary(paths: readonly string[]): { kind: string; files: number } | undefined {
  const counts = new Map<string, number>();
  let total = 0;
  for (const path of paths) {
    const kind = KIND_OF.get(extension(path));
    if (kind === undefined) continue;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    total += 1;
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most === undefined || total * 2 <= paths.length ? undefined : { kind: most[0], files: most[1] };
}
