/** Every `varve` command of a runbook is run, in order, on a store that has the problem, and ends as the page says. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type * as Varve from 'varve'
import type { main as Main } from '#varve/cli/main'
import { deploy } from './expressions.ts'

const pages = join(deploy, '../docs/runbooks')
/** The built command, in this process: a page has many commands, and each would start Node. */
const built = (path: string): Promise<unknown> =>
  import(new URL(`../../packages/varve/dist/${path}`, import.meta.url).href)
const { main } = (await built('cli/main.js')) as { readonly main: typeof Main }
const { createKeyring, openStore } = (await built('index.js')) as typeof Varve

let folder: string
let held: Varve.Store | undefined
const big = Buffer.alloc(200_000, 7)
const master = Buffer.alloc(32, 1).toString('base64')
const keyring = createKeyring({ master: [master] })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'varve-runbook-'))
  for (const name of ['etc', 'backup', 'work']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'backup/big'), big)
  writeFileSync(join(folder, 'etc/varve.toml'), 'port = 9000\n')
  writeFileSync(join(folder, 'etc/keyring.json'), JSON.stringify({ master: [master], keys: {} }), { mode: 0o600 })
})

afterEach(async () => {
  await held?.close()
  held = undefined
  rmSync(folder, { recursive: true })
})

const dir = () => join(folder, 'data')

/** What a page has instead of what a test has: paths, and times before the store was made. */
const changed = (word: string, tip: string): string =>
  word
    .replace('/var/lib/varve', dir())
    .replace('/etc/varve', join(folder, 'etc'))
    .replace('/backup', join(folder, 'backup'))
    .replace(/^(lost|again)$/, join(folder, 'work/$1'))
    .replace(/^\d+ (days|h|m)? ?ago$|^\d[hm] ago$/, '1')
    .replace('42:HASH', tip)

interface Shown {
  readonly args: readonly string[]
  readonly status: number
}

/** The commands in the blocks of a page that a shell would run. */
function commandsOf(page: string): readonly Shown[] {
  const blocks = readFileSync(join(pages, page), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)
  const lines = [...blocks].flatMap(([, text = '']) => text.split('\n')).filter((line) => line.startsWith('varve '))
  return lines.map((line) => {
    const [command = '', comment = ''] = line.split(/ +# /)
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    return { args: words.slice(1), status: Number(/ends with (\d+)/.exec(comment)?.[1] ?? 0) }
  })
}

async function ended(args: readonly string[]) {
  let text = ''
  const stream = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString()
        done()
      },
    })
  const nothing = (async function* () {})()
  const status = await main(args, { stdin: nothing, stdout: stream(), stderr: stream() as never })
  return { status, text }
}

async function made(): Promise<void> {
  const store = await openStore(dir(), { keyring })
  await store.buckets.create('photos')
  await store.snapshots.create('before-import')
  await store.objects.put('photos', 'big', big)
  await store.objects.put('photos', 'old/a', 'a')
  await store.objects.delete('photos', 'old/a')
  await store.buckets.create('pay')
  await store.objects.put('pay', 'secret', 'hush', { encryption: { mode: 'AES256' } })
  const uploader = { id: 'uploader', name: 'uploader' }
  await store.as({ by: uploader }).objects.put('photos', 'stolen', 'x')
  await store.close()
}

/** Changes bytes in the only blob that is a file. */
function damageBlob(): void {
  const blobs = join(dir(), 'blobs')
  const found = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((path) => /[0-9a-f]{16}$/.test(path))
  const path = join(blobs, found[0] ?? '')
  const bytes = readFileSync(path)
  bytes.fill(0xff, 5000, 5010)
  writeFileSync(path, bytes)
}

const otherKeyring = () =>
  writeFileSync(
    join(folder, 'etc/keyring.json'),
    JSON.stringify({ master: [Buffer.alloc(32, 2).toString('base64')], keys: {} }),
  )

/** What happens before the first command of a page, and what a person does before the last ones, who read the page. */
const problems: Readonly<
  Record<string, { readonly before?: () => unknown; readonly repaired?: readonly [at: number, act: () => unknown] }>
> = {
  'full-disk.md': {},
  'damaged-blob.md': { before: damageBlob },
  'lost-key.md': {
    before: otherKeyring,
    repaired: [
      2,
      () =>
        writeFileSync(join(folder, 'etc/keyring.json'), JSON.stringify({ master: [master], keys: {} }), {
          mode: 0o600,
        }),
    ],
  },
  'moved-machine.md': {},
  'upgrade.md': {},
  'does-not-start.md': { before: async () => (held = await openStore(dir(), { keyring })) },
  'clock-jumped.md': {},
  'leaked-credential.md': {},
  // These are about several nodes, and have no command of varve.
  'primary-failed-over.md': {},
  'two-primaries.md': {},
  'adding-and-removing-nodes.md': {},
}

/** It needs PostgreSQL: `test/nodes/older-database.test.ts` has its steps. */
const ofNodes = ['database-older-than-blobs.md']

describe('the runbooks', () => {
  it('each have a problem here', () => {
    expect(readdirSync(pages).toSorted()).toEqual([...Object.keys(problems), ...ofNodes].toSorted())
  })

  it.each(Object.entries(problems))('%s has commands that do what it says', async (page, { before, repaired }) => {
    await made()
    await before?.()
    let tip = ''
    for (const [i, { args, status }] of commandsOf(page).entries()) {
      if (repaired?.[0] === i) await repaired[1]()
      const words = args.map((word) => changed(word, tip))
      const found = await ended(words)
      expect({ words, status: found.status, text: found.text }).toMatchObject({ status })
      const [, seq, hash] = /"tip":\{"seq":(\d+),"hash":"([^"]+)"/.exec(found.text) ?? []
      if (seq !== undefined) tip = `${seq}:${hash}`
    }
  })
})
