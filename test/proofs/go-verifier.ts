/**
 * `npm run suite go-verifier`: a served log is checked by Go's `golang.org/x/mod/sumdb`, which shares no code with Varve: each
 * entry, each tile, checkpoints and proofs. Where there is no Go, nothing is checked.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkProof, memoryStore, type Store } from 'varve'
import { serve } from 'varve/http'
import { randomFrom } from '../support/random.ts'
import { mutated } from './mutations.ts'

const versions = 1500
const changes = 3000
const program = fileURLToPath(new URL('../../proofs/go/', import.meta.url))

async function check(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-go-'))
  const store = await memoryStore()
  const server = await serve({ store, controlStore: () => store, identities: [], port: 0, openLog: true })
  try {
    await writeFiles(store, dir)
    const { key } = await store.proofs.key()
    process.exitCode = await run(['run', '.', `${server.url.replace(/\/$/, '')}/-/log/`, key, dir])
  } finally {
    await server.close()
    await store.close()
    await rm(dir, { recursive: true })
  }
}

async function writeFiles(store: Store, dir: string): Promise<void> {
  const write = (name: string, text: string) => writeFile(join(dir, name), text)
  await store.buckets.create('box')
  const proofs: string[] = []
  for (let i = 1; i <= versions; i++) {
    await store.objects.put('box', `k${i}`, `bytes ${i}`)
    if (i % 37 !== 0 && i !== versions) continue
    const { text } = await store.proofs.prove({ bucket: 'box', key: `k${1 + ((i * 7) % i)}` })
    proofs.push(text)
    const number = String(proofs.length).padStart(4, '0')
    await write(`${number}.tlog-proof`, text)
    await write(`${number}.checkpoint`, (await store.proofs.checkpoint()).text)
  }
  const random = randomFrom(1)
  const key = await store.proofs.key()
  for (let i = 0; i < changes; i++) {
    const change = mutated(random.pick(proofs), random, { all: proofs })
    if (change === undefined || proofs.includes(change.text)) continue
    const isRefused = await checkProof(change.text, key).then(
      () => false,
      () => true,
    )
    // Go accepts some forms that Varve refuses, such as a signature that is there twice: what counts is the meaning.
    if (isRefused && !isOtherForm(change.how)) await write(`${i}.refused`, change.text)
  }
}

/** Changes that need not change what a proof says. */
const isOtherForm = (how: string): boolean => /line|spaces|number|character|case|end/.test(how)

function run(args: readonly string[]): Promise<number> {
  const child = spawn('go', args, { cwd: program, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

if (spawnSync('go', ['version']).status === 0) await check()
else console.log('Skipped: there is no Go on this machine.')
