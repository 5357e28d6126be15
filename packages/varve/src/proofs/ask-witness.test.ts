/** Witnesses that check what they are sent, as C2SP tlog-witness requires. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import { askWitness } from './ask-witness.ts'
import { checkCheckpoint, checkLogConsistency, checkProof } from './proofs.ts'
import { witnessKey } from './witness-key.fixture.ts'

let store: Store
let server: Server
let witness: { url: URL; key: string }
/** The last checkpoint that the witness signed. */
let seen: string | undefined
let answer: ((body: string) => { status: number; text: string }) | undefined

const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const publicKey = new Uint8Array(
  createPublicKey(createPrivateKey(pem)).export({ format: 'der', type: 'spki' }).subarray(12),
)
const { key: ownKey, lineOf } = witnessKey('witness.example/w', publicKey, (message) =>
  sign(undefined, message, createPrivateKey(pem)),
)

const sizeOf = (note: string): number => Number(note.split('\n')[1])

async function witnessed(body: string): Promise<{ status: number; text: string }> {
  const [head = '', ...rest] = body.split('\n\n')
  const note = rest.join('\n\n')
  const old = Number(head.split('\n')[0]?.slice(4))
  if (old !== (seen === undefined ? 0 : sizeOf(seen))) return { status: 409, text: `${sizeOf(seen ?? '\n0')}\n` }
  const keys = await store.proofs.key()
  await checkCheckpoint(note, keys)
  if (seen !== undefined) await checkLogConsistency({ proof: body, earlier: seen }, keys)
  seen = note
  return { status: 200, text: lineOf(note, 1_700_000_000) }
}

beforeEach(async () => {
  seen = undefined
  answer = undefined
  store = await memoryStore()
  await store.buckets.create('box')
  server = createServer((request, response) => {
    const respond = async () => {
      const body = await textOf(request)
      const { status, text } =
        request.url === '/w/add-checkpoint' ? (answer?.(body) ?? (await witnessed(body))) : { status: 404, text: '' }
      response.writeHead(status).end(text)
    }
    respond().catch(() => response.writeHead(422).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  witness = { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/w/`), key: ownKey }
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await store.close()
})

const ask = () => askWitness(store.proofs, witness, new AbortController().signal)
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  )

describe('a witness', () => {
  it('signs the first checkpoint, and later ones with a proof that the log only grew', async () => {
    const cosignature = { witness: 'witness.example/w', at: new Date(1_700_000_000_000) }
    expect(await ask()).toMatchObject({ cosignature, size: store.seq })
    for (let i = 0; i < 9; i++) await store.objects.put('box', `k${i}`, 'x')
    expect(await ask()).toMatchObject({ size: store.seq })
    const { text } = await ask()
    await store.objects.put('box', 'k1', 'newer')
    const keys = { ...(await store.proofs.key()), witnesses: [ownKey] }
    expect((await checkCheckpoint(text, keys)).cosignatures).toHaveLength(1)
    const proof = await store.proofs.prove({ bucket: 'box', key: 'k2', checkpoint: text })
    expect((await checkProof(proof.text, keys)).cosignatures).toEqual([cosignature])
    expect(await ask()).toMatchObject({ size: store.seq })
  })

  it('that knows a longer log, or another one, is not deceived, and its refusal says so', async () => {
    answer = () => ({ status: 409, text: '1000000\n' })
    expect(await refusal(ask())).toBe('CheckpointConflict')
    answer = () => ({ status: 422, text: '' })
    expect(await refusal(ask())).toBe('CheckpointConflict')
  })

  it.each([
    { status: 404, text: 'unknown' },
    { status: 403, text: '' },
    { status: 500, text: '' },
    { status: 409, text: 'what' },
    { status: 409, text: '1\n' },
    { status: 200, text: '' },
    { status: 200, text: '\u2014 other.example/x AAAAAAA=\n' },
    { status: 200, text: '\u2014 witness.example/w AAAAAAA=\n' },
    { status: 200, text: 'x'.repeat(100_000) },
  ])('that answers $status $text.length adds nothing', async (given) => {
    const { text } = await store.proofs.checkpoint()
    answer = () => given
    expect(await refusal(ask())).toBe('ProofInvalid')
    expect((await store.proofs.checkpoint()).text).toBe(text)
  })

  it('whose key is another one adds nothing', async () => {
    const { key } = witnessKey('witness.example/w', new Uint8Array(32).fill(7), () => new Uint8Array(64))
    expect(await refusal(askWitness(store.proofs, { ...witness, key }, new AbortController().signal))).toBe(
      'ProofInvalid',
    )
  })

  it('may sign with other keys of its name too, whatever their order', async () => {
    const other = witnessKey('witness.example/w', new Uint8Array(32).fill(7), () => new Uint8Array(64))
    for (const before of [true, false]) {
      await store.objects.put('box', `before ${before}`, 'x')
      answer = (body) => {
        const note = body.slice(body.indexOf('\n\n') + 2)
        const lines = [other.lineOf(note, 1_700_000_000), lineOf(note, 1_700_000_001)]
        return { status: 200, text: (before ? lines : lines.toReversed()).join('') }
      }
      const { cosignature } = await ask()
      expect(cosignature.at).toEqual(new Date(1_700_000_001_000))
    }
  })

  it('that is not there is named', async () => {
    const url = new URL('http://127.0.0.1:1/')
    expect(await refusal(askWitness(store.proofs, { url, key: ownKey }, new AbortController().signal))).toBe(
      'ProofInvalid',
    )
  })
})
