/** What `varve mcp` refuses before a session begins. */
import { mkdir, readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { scratchDirectory } from '../../scratch-directory.fixture.ts'
import { varve } from '../run-main.fixture.ts'

const scratch = scratchDirectory()

it.each([
  [['--read-only'], 6],
  [['--read-only', '--fork'], 2],
  [['--max-operations', '0'], 2],
  [['--max-object-size', '0'], 2],
  [['--bucket', ''], 2],
  [['--port', '70000'], 2],
])('refuses %j, and makes no store', async (args, status) => {
  const dir = scratch.next()
  await mkdir(dir)
  expect(await varve(['mcp', dir, ...args])).toMatchObject({ status, stdout: '' })
  expect(await readdir(dir)).toEqual([])
})

it.each(['http://example.org/path', 'https://user@example.org', 'http://'])('refuses the URL %s', async (url) => {
  expect(await varve(['mcp', url])).toMatchObject({ status: 2 })
})
