/** A directory as one compressed file: a list of paths and sizes, then the bytes of the files in that order. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** The path ends with `/` for a directory. */
type Entry = readonly [path: string, size: number]

const compression = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
}

export async function packDirectory(directory: string): Promise<Uint8Array> {
  const entries: Entry[] = []
  const contents: Uint8Array[] = []
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  const all = found.map((entry) => ({ entry, path: join(relative(directory, entry.parentPath), entry.name) }))
  // The socket of a killed process is no file.
  const paths = all.filter(({ path }) => path.split(sep)[0] !== 'control')
  for (const { entry, path } of paths.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const bytes = entry.isDirectory() ? new Uint8Array() : await readFile(join(directory, path))
    entries.push([entry.isDirectory() ? `${path}/` : path, bytes.length])
    contents.push(bytes)
  }
  const head = Buffer.from(`${JSON.stringify(entries)}\n`)
  return brotliCompressSync(Buffer.concat([head, ...contents]), compression)
}

export async function unpackDirectory(archive: Uint8Array, directory: string): Promise<void> {
  const bytes = brotliDecompressSync(archive)
  let at = bytes.indexOf('\n') + 1
  for (const [path, size] of JSON.parse(bytes.toString('utf8', 0, at)) as readonly Entry[]) {
    const target = join(directory, path)
    await mkdir(path.endsWith('/') ? target : dirname(target), { recursive: true, mode: 0o700 })
    if (!path.endsWith('/')) await writeFile(target, bytes.subarray(at, at + size), { mode: 0o600 })
    at += size
  }
}
