/** Directories for tests: made below the system's own, gone when the tests of the file are over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

export interface ScratchDirectory {
  /** A new path; nothing is there yet. */
  next(): string
}

export function scratchDirectory(): ScratchDirectory {
  let root = ''
  let count = 0
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'varve-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))
  return { next: () => join(root, String(++count)) }
}
