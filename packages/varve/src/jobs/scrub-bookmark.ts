/**
 * The position that the last scrub reached, so that a scrub that was interrupted by the end of its process does not start
 * again each time. Losing it costs one pass at most. So the file of a directory is not synced, and errors are ignored.
 */
import { join } from 'node:path'
import type { Jobs, ScrubPosition } from '@varve/core'
import { readFile, rename, rm, writeFile } from '../files/patient-files.ts'

export interface Bookmark {
  /** When the last whole pass ended, in milliseconds since the epoch; 0 for never. */
  readonly passedAt: number
  /** The position that the pass after it has reached. */
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

/** In the journal, for engines that share it. */
export const sharedBookmark = ({ places }: Pick<Jobs, 'places'>): ScrubBookmark => ({
  read: () =>
    places.read('scrub').then(
      (text) => bookmarkOf(JSON.parse(text ?? '{}')),
      () => ({ passedAt: 0 }),
    ),
  write: (bookmark) => places.write('scrub', JSON.stringify(bookmark)).catch(() => undefined),
})

const positionForms = { log: /^\d{0,15}$/, rows: /^([0-9a-f]{2})*$/, bytes: /^([0-9a-f]{2})*$/ } as const

/** Reads the bookmark; the beginning, if the file contains anything else. */
function bookmarkOf(value: unknown): Bookmark {
  const { passedAt, position } = value as { passedAt?: unknown; position?: { stage?: unknown; after?: unknown } }
  const passed = typeof passedAt === 'number' && Number.isSafeInteger(passedAt) && passedAt >= 0 ? passedAt : 0
  const { stage, after } = position ?? {}
  if (stage !== 'log' && stage !== 'rows' && stage !== 'bytes') return { passedAt: passed }
  if (typeof after !== 'string' || !positionForms[stage].test(after)) return { passedAt: passed }
  return { passedAt: passed, position: { stage, after } }
}
