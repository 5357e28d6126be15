/** The short form of `npm run suite bench-large-nodes`: every figure that it promises is there. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { expect, it } from 'vitest'
import { root } from '../tidy/tree.ts'

const run = promisify(execFile)
const program = join(root, 'bench/dist/scale/large-nodes.js')

// Without PostgreSQL there are no nodes.
it.skipIf(noPostgres !== undefined)(
  'bench-large-nodes measures openings, catching up, listings and views made again',
  async () => {
    const { stdout } = await run(process.execPath, [program, '--events', '3000', '--follow', '500', '--rounds', '1'])
    for (const what of [
      'open an empty store',
      'open with its witness',
      'open without a witness',
      'follow 500 events, each',
      'list 2998 keys, one node, each page',
      'list 1000 common prefixes, one node',
      'list 3498 keys, a directory, each page',
      'views computed again, each event',
    ])
      expect(stdout).toMatch(new RegExp(`^${what}: node [\\d.]+ (ms|us)  database `, 'm'))
    expect(stdout).toMatch(/^bytes of an event [1-9]\d* and [1-9]\d* in the index/m)
  },
  600_000,
)
