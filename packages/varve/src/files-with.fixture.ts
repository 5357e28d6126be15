import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of the files in a directory, and in those beneath it, that contain one of the texts. */
export async function filesWith(dir: string, texts: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    // It may have been deleted meanwhile.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0))
    if (texts.some((text) => bytes.includes(text))) found.push(entry.name)
  }
  return found
}

/** Texts by which random bytes are found: their beginnings and ends. */
export const marksOf = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => [text.slice(0, 16), text.slice(-16)])
