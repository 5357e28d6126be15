/** Every command, for programs and for people, on a store with names that a terminal would interpret: what it prints is plain text. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'smol-toml'
import { beforeAll, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { program } from './program.ts'
import { varve } from './run-main.fixture.ts'
import type { CliContext } from './support/context.ts'

const hostile = 'a\nforged\u001b[31m\u009b31m\u202e\u2028\u2029\u200d\u{e0041}\u007fb'
/** As names of identities may be. */
const person = 'a\u202e\u2028\u200d\u{e0041}b'
const uri = `s3://photos/${hostile}`
const scratch = scratchDirectory()
let dir: string
let base: string

/** The arguments of each command. `undefined`: it serves until it is stopped, and prints through `output.json` what it announces. */
const commands: Readonly<Record<string, readonly string[] | undefined>> = {
  serve: undefined,
  mcp: undefined,
  demo: undefined,
  follow: undefined,
  'config check': ['{base}/config.toml'],
  'config show': ['{dir}'],
  log: [],
  history: [uri],
  'identities add': [person],
  'identities list': [],
  'identities show': [person],
  'identities policy': [person],
  'identities quota': [person, '--bytes', '1'],
  'identities rotate': [person],
  'identities revoke': [person, '--all'],
  'identities remove': [person],
  'identities import': ['{base}/none'],
  diff: ['s3://photos', '--from', '1'],
  restore: ['s3://photos', '--to', '3', '--dry-run'],
  undo: ['--by', hostile, '--dry-run'],
  erase: [uri, '--all-versions', '--dry-run'],
  ls: ['s3://photos', '--versions'],
  cat: [`${uri}x`],
  stat: [uri],
  mb: [`s3://${hostile}`],
  rb: [`s3://${hostile}`],
  fork: ['s3://photos', `s3://${hostile}`],
  merge: [`s3://${hostile}`, '--yes'],
  drop: [`s3://${hostile}`],
  put: ['{base}/file', `${uri}2`],
  get: [uri, '{base}/got'],
  cp: [uri, `${uri}3`],
  rm: [`${uri}3`],
  export: ['s3://photos', '--to', '{base}/archive'],
  import: ['{base}/none', `s3://${hostile}`],
  'archive verify': ['{base}/archive'],
  backup: ['{base}/backup'],
  'backups show': ['{base}/backup'],
  'backups verify': ['{base}/backup'],
  'restore-store': ['{base}/backup', '{base}/restored'],
  promote: ['{base}/none'],
  verify: [],
  init: [],
  rebuild: [],
  migrate: ['--to', `${hostile}://x`],
  'keys list': [],
  'keys rotate': [],
  'clock show': [],
  'clock accept': [],
  'accept-loss': [],
  'journal create': ['--journal', `${hostile}://x`],
  'retention show': [],
  'retention set': ['1d', 's3://photos'],
  'retention remove': ['s3://photos'],
  'snapshot create': [hostile],
  'snapshot ls': [],
  'snapshot rm': [hostile],
  checkpoint: [],
  prove: [uri],
  'check-proof': ['{base}/none'],
  'log-key': [],
  'quota show': ['s3://photos'],
  'quota set': ['s3://photos', '--bytes', '1GiB'],
  'quota remove': ['s3://photos'],
  'task ls': [],
  'task stop': [hostile],
  usage: [],
}

function commandsWithJson(): string[] {
  const names: string[] = []
  const walk = (command: Command, path: readonly string[]): void => {
    if (command.options.some(({ long }) => long === '--json')) names.push(path.join(' '))
    for (const one of command.commands) walk(one, [...path, one.name()])
  }
  walk(
    program({} as CliContext, '1.0.0', () => undefined),
    [],
  )
  return names
}

const prepare = async (): Promise<void> => {
  base = join(scratch.next(), hostile)
  await mkdir(base, { recursive: true })
  dir = join(base, 'store')
  const store = await openStore(dir)
  await store.buckets.create('photos')
  const by = { id: hostile, name: hostile }
  await store.as({ by }).objects.put('photos', hostile, 'x', { metadata: { a: 'b' }, contentType: 'text/plain' })
  await store.objects.put('photos', `${hostile}x`, 'y', { tags: [{ key: 'a', value: 'b' }] })
  await store.close()
  await writeFile(join(base, 'config.toml'), `"${hostile.replaceAll(/[\n\u001b\u007f]/g, '')}" = 1\n`)
  await writeFile(join(base, 'file'), 'z')
}

const placed = (text: string): string => text.replace('{dir}', dir).replace('{base}', base)
const unsafe = /[^\n\P{Cc}]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe.each([
  ['JSON', ['--json']],
  ['text', []],
])('what a command prints as %s', (form, format) => {
  beforeAll(prepare, 60_000)

  const each = Object.entries(commands).flatMap(([name, args]) => (args === undefined ? [] : [[name, args] as const]))
  it.each(each)('is plain: %s', async (name, args) => {
    const options = takesDirectory(name) ? ['--dir', dir] : []
    const { stdout, stderr } = await varve([...name.split(' '), ...args.map(placed), ...options, ...format])
    const text = Buffer.from(stdout, 'latin1').toString('utf8')
    for (const printed of [text, stderr]) {
      expect(printed).not.toMatch(unsafe)
      // A name is no line of its own.
      expect(printed).not.toMatch(/^forged/m)
    }
    // The values are what they were.
    if (name === 'log' && form === 'JSON')
      expect(text.split('\n').some((line) => line !== '' && hasKey(JSON.parse(line)))).toBe(true)
  })
})

describe('the commands with --json', () => {
  it('are known here', () => {
    expect(Object.keys(commands).sort()).toEqual(commandsWithJson().sort())
  })

  it('print JSON through one function', async () => {
    const found: string[] = []
    for (const path of await readdir(import.meta.dirname, { recursive: true })) {
      if (!path.endsWith('.ts') || /\.(test|fixture)\.ts$/.test(path)) continue
      const text = await readFile(join(import.meta.dirname, path), 'utf8')
      if (/(line|write|note)\([^\n]*JSON\.stringify/.test(text)) found.push(path)
    }
    expect(found).toEqual([])
  })
})

describe('the settings that config show prints', () => {
  it('are TOML with the same values', async () => {
    const { stdout } = await varve(['config', 'show', dir])
    const printed = Buffer.from(stdout, 'latin1').toString('utf8')
    expect(parse(printed)['dir']).toBe(dir)
  })
})

const hasKey = (event: { readonly data?: { readonly key?: string } }): boolean => event.data?.key === hostile

function takesDirectory(name: string): boolean {
  const found = name.split(' ').reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    program({} as CliContext, '1.0.0', () => undefined),
  )
  return found?.options.some(({ long }) => long === '--dir') === true
}
