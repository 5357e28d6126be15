/** The units, whose command lines are run by hand: with the files that they name, in a directory that stands for the root. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary, scratchPaths } from '../cli/run-varve.ts'
import { freePort } from '../support/free-port.ts'
import { deploy } from './expressions.ts'

const next = scratchPaths()
const unit = readFileSync(join(deploy, 'systemd/varve.service'), 'utf8')

/** The values of a directive, in order. */
const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=-?(.+)$`, 'gm'))].map(([, value = '']) => value)

/** What the directive runs, below `root`. */
function commandOf(name: string, root: string): readonly [file: string, args: readonly string[]] {
  const [program = '', ...args] = (valuesOf(name)[0] ?? '').split(' ')
  expect(program).toBe('/usr/bin/varve')
  return [process.execPath, [binary, ...args.map((arg) => (arg.startsWith('/') ? join(root, arg) : arg))]]
}

const root = { name: 'root', accessKeyId: 'root-key', secretAccessKey: 'root-secret', root: true }

describe('the service', () => {
  it('checks its configuration, serves, reads it again, and ends at its signal', { timeout: 120_000 }, async () => {
    const machine = next()
    const [etc, state] = [join(machine, 'etc/varve'), join(machine, 'var/lib/varve')]
    for (const directory of [etc, state]) mkdirSync(directory, { recursive: true })
    copyFileSync(join(deploy, 'systemd/varve.toml'), join(etc, 'varve.toml'))
    const secrets = {
      'identities.json': JSON.stringify({ identities: [root] }),
      'metrics.token': 'a-token-of-many-letters',
    }
    for (const [name, text] of Object.entries(secrets)) writeFileSync(join(etc, name), text, { mode: 0o600 })
    expect(spawnSync(process.execPath, [binary, 'keys', 'create', join(etc, 'keyring.json')]).status).toBe(0)
    const port = await freePort()
    const env = { ...process.env, VARVE_PORT: String(port) }

    const [file, args] = commandOf('ExecStartPre', machine)
    const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' })
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' })

    const [server, options] = commandOf('ExecStart', machine)
    const child = spawn(server, options, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const written = { text: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (written.text += data.toString()))
    const ended = once(child, 'exit')
    const health = async () =>
      fetch(`http://127.0.0.1:${port}/-/health`).then(
        ({ status: code }) => code,
        () => written.text,
      )
    await expect.poll(health, { timeout: 60_000 }).toBe(200)
    const [reload = ''] = valuesOf('ExecReload')
    expect(reload).toBe('/bin/kill -HUP $MAINPID')
    child.kill('SIGHUP')
    await expect.poll(() => written.text, { timeout: 30_000 }).toMatch(/read|reload/i)
    expect(await health()).toBe(200)
    child.kill((valuesOf('KillSignal')[0] ?? '') as NodeJS.Signals)
    expect(await ended).toEqual([0, null])
  })

  it('has more time to stop than requests have to end', () => {
    const [, grace = ''] = /^grace = "(\d+)s"$/m.exec(readFileSync(join(deploy, 'systemd/varve.toml'), 'utf8')) ?? []
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(Number(grace))
  })
})

const { error } = spawnSync('systemd-analyze', ['--version'])
// Without systemd nobody can say.
it.skipIf(error !== undefined)(`systemd takes the units${error ? ': there is no systemd-analyze here' : ''}`, () => {
  // It looks for the programs that they name.
  const directory = next()
  mkdirSync(directory)
  for (const name of ['varve.service', 'varve.socket']) {
    const text = readFileSync(join(deploy, 'systemd', name), 'utf8').replaceAll('/usr/bin/varve', '/bin/true')
    writeFileSync(join(directory, name), text)
  }
  const units = ['varve.service', 'varve.socket'].map((name) => join(directory, name))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' })
  expect({ status, ours: stderr.split('\n').filter((line) => line.includes('varve.')) }).toEqual({
    status: 0,
    ours: [],
  })
})
