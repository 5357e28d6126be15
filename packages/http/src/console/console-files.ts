/** The files of the console, read once and kept: text also in compressed forms. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A form in which a file is sent. */
export interface ConsoleForm {
  /** Absent: as it is. */
  readonly encoding?: 'br' | 'gzip'
  readonly bytes: Uint8Array
  readonly etag: string
}

export interface ConsoleFile {
  readonly contentType: string
  /** The preferred form first. The last one is the file as it is. */
  readonly forms: readonly ConsoleForm[]
}

/** By path, such as `assets/index-3f9c.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

export const indexName = 'index.html'

const filesMax = 1000
const bytesMax = 32 * 1024 * 1024

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const compressed = new Set(['.css', '.html', '.js', '.json', '.map', '.mjs', '.svg', '.txt', '.wasm', '.webmanifest'])

/** Returns what reads a directory at its first call. Calls it again until there is an index. */
export function readOnce(dir: string): () => Promise<ConsoleFiles | undefined> {
  let reading: Promise<ConsoleFiles | undefined> | undefined
  return async () => {
    reading ??= readFiles(dir)
    try {
      const files = await reading
      if (files === undefined) reading = undefined
      return files
    } catch (error) {
      reading = undefined
      throw error
    }
  }
}

/** `undefined` without an index: nothing is built there. Links are not followed. @throws what reading throws; Error at a limit */
async function readFiles(dir: string): Promise<ConsoleFiles | undefined> {
  const names = await namesBelow(dir)
  if (!names.includes(indexName)) return undefined
  const files = new Map<string, ConsoleFile>()
  let size = 0
  for (const name of names) {
    const bytes = await readFile(join(dir, name))
    size += bytes.length
    if (size > bytesMax) throw new Error(`The console has more than ${bytesMax} bytes: ${dir} is something else.`)
    files.set(name, {
      contentType: types[extname(name)] ?? 'application/octet-stream',
      forms: await formsOf(name, bytes),
    })
  }
  return files
}

/** With `/` between folders. @throws Error for too many */
async function namesBelow(dir: string): Promise<readonly string[]> {
  const names: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(dir, folder))) {
      const name = `${folder}${entry.name}`
      if (entry.isDirectory()) folders.push(`${name}/`)
      else if (entry.isFile()) names.push(name)
      if (names.length + folders.length > filesMax) {
        throw new Error(`The console has more than ${filesMax} files: ${dir} is something else.`)
      }
    }
  }
  return names
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

async function formsOf(name: string, bytes: Uint8Array): Promise<readonly ConsoleForm[]> {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const plain = { bytes, etag: `"${digest}"` }
  if (!compressed.has(extname(name))) return [plain]
  const forms: ConsoleForm[] = [
    {
      encoding: 'br',
      bytes: await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      etag: `"${digest}-br"`,
    },
    { encoding: 'gzip', bytes: await zip(bytes), etag: `"${digest}-gzip"` },
  ]
  return [...forms.filter((form) => form.bytes.length < bytes.length), plain]
}
