/** What a person reads when the path, the name, the option, the port or the package is wrong: the reason, and what helps. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
const taken = createServer()
let base: string
let port: number

beforeAll(async () => {
  base = scratch.next()
  await mkdir(base)
  await writeFile(join(base, 'file'), 'no directory')
  await varve(['init', '--dir', join(base, 'store')])
  await varve(['mb', 's3://photos', '--dir', join(base, 'store')])
  await varve(['backup', join(base, 'copy'), '--dir', join(base, 'store')])
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  port = (taken.address() as AddressInfo).port
})
afterAll(() => taken.close())

const inStore = ['--dir', '{base}/store']

/** A command, its status, its message without the code, and what the hint names. */
const cases: readonly (readonly [args: readonly string[], status: number, message: RegExp, hint: RegExp])[] = [
  [['ls', '--dir', '{base}/nothing'], 6, /no such directory/, /`varve init --dir .*nothing`/],
  [['ls', '--dir', '{base}/file'], 1, /file is not a directory/, /Name a directory/],
  [['init', '--dir', '{base}/file/below'], 1, /below is not a directory/, /Name a directory/],
  [['init', '--dir', `{base}/${'n'.repeat(300)}`], 1, /does not accept the path .*nnn/, /shorter path/],
  [['serve', '{base}/file', '--port', '0'], 1, /file is not a directory/, /Name a directory/],
  [['serve', '{base}/new', '--port', '{port}'], 1, /address already in use .*{port}/, /`--next-port`.*`--port`/],
  [['serve', '{base}/new', '--port', '65535', '--host', '192.0.2.1'], 1, /not available/, /`--host`/],
  [['serve', '{base}/store', '--keyring', '{base}/none'], 1, /keyring .*none: ENOENT/, /there is no such file/],
  [['serve', '{base}/store', '--identities', '{base}/none'], 1, /none: ENOENT/, /there is no such file/],
  [['serve', '{base}/store', '--config', '{base}/none.toml'], 1, /none.toml cannot be read/, /there is no such file/],
  [['put', '{base}/none', 's3://photos/a', ...inStore], 1, /none: ENOENT/, /there is no such file/],
  [['put', '{base}', 's3://photos/a', ...inStore], 1, /: EISDIR/, /Name a file/],
  [['import', '{base}/none', ...inStore], 1, /none: ENOENT/, /there is no such file/],
  [['ls', 's3://photoz', ...inStore], 1, /no bucket "photoz". Did you mean photos\?/, /`varve ls`/],
  [['rm', 's3://photos/none', ...inStore], 1, /no object .*none/, /`varve ls s3:\/\/photos --dir .*`/],
  [['ls', 's3://photos', '--at', 'tomorrow', ...inStore], 1, /"tomorrow" is no moment of the past/, /snapshot/],
  [['restore', 's3://photos', '--to', '99', ...inStore], 1, /positions 0 to \d+, not 99/, /`varve log`/],
  [['identities', 'show', 'none', ...inStore], 1, /no identity/, /`varve identities list`/],
  [['backups', 'verify', '{base}/copy'], 6, /copy is that of a store, or of a copy/, /`varve verify --dir`/],
  [['undo', ...inStore], 2, /What is to be undone/, /`--by`, `--request` or `--since`/],
]

const filled = (text: string): string => text.replaceAll('{base}', base).replaceAll('{port}', String(port))

describe('the first messages', () => {
  it.each(cases)('of varve %j have status %i', async (args, status, message, hint) => {
    const outcome = await varve(args.map(filled))
    const [first = '', second = ''] = outcome.stderr.split('\n')
    expect({ status: outcome.status, first, second }).toEqual({
      status,
      first: expect.stringMatching(new RegExp(`^varve: .*${filled(message.source)}`)) as string,
      second: expect.stringMatching(hint) as string,
    })
    expect(second).toMatch(/^Hint: /)
    expect(outcome.stderr).not.toContain('JournalFailed')
  })

  it('are those of a taken port for programs too', async () => {
    const store = await openStore(scratch.next())
    const refused = serve({ store, identities: [], port })
    await expect(refused).rejects.toMatchObject({
      code: 'EADDRINUSE',
      hint: expect.stringContaining('`port`') as string,
    })
    await store.close()
  })

  // Only root can start a process as another user.
  it.runIf(process.getuid?.() === 0)('are those of a directory of another user', async () => {
    const closed = join(base, 'closed')
    await mkdir(closed, { mode: 0o755 })
    for (const each of [base, dirname(base)]) await chmod(each, 0o755)
    const program = fileURLToPath(new URL('../../bin/varve.js', import.meta.url))
    const run = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [program, ...args], { uid: 65_534, gid: 65_534 })
    for (const args of [
      ['init', '--dir', join(closed, 'new')],
      ['serve', join(closed, 'new'), '--port', '0'],
    ])
      await expect(run(...args)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/This user may not use .*closed\/new\. \(AccessDenied\)\nHint: /) as string,
      })
  })

  it('are about the release of Node, if it is too old', async () => {
    const text = await readFile(new URL('../../bin/varve.js', import.meta.url), 'utf8')
    const asOld = `Object.defineProperty(process.versions, 'node', { value: '18.20.1' })\n${text.replace(/^#!.*\n/, '')}`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', asOld])
    await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('needs Node 20.19') as string })
  })
})
