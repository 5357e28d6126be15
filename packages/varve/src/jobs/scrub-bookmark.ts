/**
 * How far the last scrub of a directory came, so that one that is cut off by the end of its process is not begun again
 * and again. Losing it costs a pass, no more: nothing here is synced, and nothing here fails.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScrubPosition } from '@varve/core'

export interface Bookmark {
  /** When the last whole pass ended, in milliseconds since the epoch; 0 for never. */
  readonly passedAt: number
  /** Where the one after it came to. */
  readonly position?: ScrubPosition
}

export interface ScrubBookmark {
  read(): Promise<Bookmark>
  write(bookmark: Bookmark): Promise<void>
}

export function scrubBookmark(dir: string): ScrubBookmark {
  const path = join(dir, 'scrubbed')
  return {
    async read() {
      try {
        return bookmarkOf(JSON.parse(await readFile(path, 'utf8')))
      } catch {
        return { passedAt: 0 }
      }
    },
    async write(bookmark) {
      try {
        await writeFile(`${path}.tmp`, `${JSON.stringify(bookmark)}\n`, { mode: 0o600 })
        await rename(`${path}.tmp`, path)
      } catch {
        await rm(`${path}.tmp`, { force: true }).catch(() => undefined)
      }
    },
  }
}

const positionForms = { log: /^\d{0,15}$/, rows: /^([0-9a-f]{2})*$/, bytes: /^([0-9a-f]{2})*$/ } as const

/** Whatever is in the file: a bookmark, or the beginning. */
function bookmarkOf(value: unknown): Bookmark {
  const { passedAt, position } = value as { passedAt?: unknown; position?: { stage?: unknown; after?: unknown } }
  const passed = typeof passedAt === 'number' && Number.isSafeInteger(passedAt) && passedAt >= 0 ? passedAt : 0
  const { stage, after } = position ?? {}
  if (stage !== 'log' && stage !== 'rows' && stage !== 'bytes') return { passedAt: passed }
  if (typeof after !== 'string' || !positionForms[stage].test(after)) return { passedAt: passed }
  return { passedAt: passed, position: { stage, after } }
}
