/** The short form of `npm run suite bench-nodes`: every figure that it promises is there. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { expect, it } from 'vitest'
import { root } from '../tidy/tree.ts'

const run = promisify(execFile)
const program = join(root, 'bench/dist/scale/nodes.js')

// Without PostgreSQL there are no nodes.
it.skipIf(noPostgres !== undefined)(
  'bench-nodes measures each operation with one, two and three nodes',
  async () => {
    const args = ['--rounds', '1', '--scale', '0.01', '--entries', '8']
    const { stdout } = await run(process.execPath, [program, ...args])
    for (const operation of ['put-4k', 'get-4k', 'list', 'put-1m', 'get-1m'])
      for (const store of ['disk', '1 node', '2 nodes', '3 nodes'])
        expect(stdout).toMatch(new RegExp(`^${operation} +${store} +node [1-9]\\d* \\[`, 'm'))
    for (const store of ['1 node', 'engine'])
      expect(stdout).toMatch(new RegExp(`^put-4k +${store} / inserts: \\d.* rate \\d`, 'm'))
    expect(stdout).toMatch(/^bytes +an object of 64 KiB: events \d+ {2}rows \d+/m)
  },
  600_000,
)
