/** Directories for tests: made below the system's own, gone when the tests of the file are over. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

export interface ScratchDirectory {
  /** A path that was not used before. There is nothing at it yet. */
  next(): string
}

export function scratchDirectory(): ScratchDirectory {
  const root = mkdtempSync(join(tmpdir(), 'varve-'))
  let count = 0
  afterAll(() => rm(root, { recursive: true, force: true }))
  return { next: () => join(root, String(++count)) }
}
