/**
 * No proof is accepted with parts of another log, of a fork with the same key, or of an older checkpoint. VARVE_MUTATED_PROOFS sets how many
 * are drawn at random; VARVE_PROOFS_SEED repeats a run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isStorageError, type LogKey } from 'varve'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, randomFrom } from '../support/random.ts'
import { check, type Item, type Kind, type Logs, makeLogs } from './logs.ts'
import { mutated } from './mutations.ts'

const count = Number(process.env['VARVE_MUTATED_PROOFS'] ?? 2000)
const seed = Number(process.env['VARVE_PROOFS_SEED'] ?? newSeed())
const kinds: readonly Kind[] = ['inclusion', 'erasure', 'checkpoint', 'consistency']

let home: string
let logs: Logs
/** All that the key of the base has signed. */
let signed: readonly Item[]
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'varve-'))
  logs = await makeLogs(join(home, 'base'), join(home, 'fork'))
  signed = [...logs.base, ...logs.fork]
}, 120_000)
afterAll(() => rm(home, { recursive: true, force: true }))

/** `undefined` if it was refused as it should be. */
async function wrong(item: Item, key: LogKey, how: string): Promise<string | undefined> {
  try {
    await check(item, key)
  } catch (error) {
    if (isStorageError(error, 'ProofInvalid')) return undefined
    return `${how}: ${String(error)}\n${item.text}`
  }
  return `accepted: ${how}\n${item.text}`
}

/** What was accepted, or ended in another error than a refusal. */
async function allWrong(items: Iterable<readonly [Item, LogKey, string]>): Promise<readonly string[]> {
  const found: string[] = []
  let tried = 0
  for (const [item, key, how] of items) {
    tried++
    const outcome = await wrong(item, key, how)
    if (outcome !== undefined) found.push(outcome)
  }
  expect(tried).toBeGreaterThan(0)
  return found
}

const checkpointAt = ({ text, kind }: Item, { origin }: LogKey): number =>
  kind === 'checkpoint' ? 0 : text.lastIndexOf(`\n\n${origin}\n`) + 2

it('Each log is right by its own key', async () => {
  for (const item of signed) await expect(check(item, logs.key), item.text).resolves.toBeDefined()
  for (const item of logs.stranger.items) await expect(check(item, logs.stranger.key)).resolves.toBeDefined()
  expect(new Set(signed.map(({ kind }) => kind))).toEqual(new Set(kinds))
  // The fork differs from its base, and the logs have items at the same sizes.
  expect(logs.fork.map(({ kind }) => kind)).toEqual(logs.base.map(({ kind }) => kind))
  expect(logs.fork.filter(({ text }) => logs.base.some((each) => each.text === text)).length).toBeLessThan(
    logs.base.length,
  )
})

it('No log is right by another key, also not by a new one of the same name', async () => {
  function* pairs(): Iterable<readonly [Item, LogKey, string]> {
    for (const item of signed) {
      for (const key of [logs.stranger.key, logs.renewed]) yield [item, key, `another key for ${item.kind}`]
      // The name of one log, and the key of another.
      const named = { ...item, text: item.text.replaceAll(logs.key.origin, logs.stranger.key.origin) }
      yield [named, logs.stranger.key, `another name for ${item.kind}`]
    }
    for (const item of logs.stranger.items) yield [item, logs.key, `another log for ${item.kind}`]
  }
  expect(logs.renewed.origin).toBe(logs.key.origin)
  expect(logs.stranger.key.origin).not.toBe(logs.key.origin)
  expect(await allWrong(pairs())).toEqual([])
}, 60_000)

it('No proof is right with another checkpoint: an older one, a later one, one of a fork or of another store', async () => {
  function* pairs(): Iterable<readonly [Item, LogKey, string]> {
    const sources = [
      ...signed.map((item) => [item, logs.key] as const),
      ...logs.stranger.items.map((item) => [item, logs.stranger.key] as const),
    ]
    const checkpoints = new Set(sources.map(([item, key]) => item.text.slice(checkpointAt(item, key))))
    for (const item of signed.filter(({ kind }) => kind !== 'checkpoint')) {
      const at = checkpointAt(item, logs.key)
      for (const checkpoint of checkpoints)
        if (item.text.slice(at) !== checkpoint)
          yield [
            { ...item, text: item.text.slice(0, at) + checkpoint },
            logs.key,
            `another checkpoint for ${item.kind}`,
          ]
    }
  }
  expect(await allWrong(pairs())).toEqual([])
}, 60_000)

it('A log has grown from its own earlier checkpoints alone', async () => {
  const grown = [...signed, ...logs.stranger.items].filter(({ kind }) => kind === 'consistency')
  const right = new Set(signed.map(({ text, earlier }) => `${text}${earlier}`))
  const earliers = [...signed, ...logs.stranger.items].flatMap(({ kind, text }) =>
    kind === 'checkpoint' ? [text] : [],
  )
  function* pairs(): Iterable<readonly [Item, LogKey, string]> {
    for (const { text } of grown)
      for (const earlier of earliers)
        if (!right.has(`${text}${earlier}`))
          yield [{ kind: 'consistency', text, earlier }, logs.key, `from\n${earlier}`]
  }
  expect(await allWrong(pairs())).toEqual([])
}, 60_000)

it('No text is accepted as one of another kind', async () => {
  function* pairs(): Iterable<readonly [Item, LogKey, string]> {
    for (const item of signed)
      for (const kind of kinds)
        if (kind !== item.kind) yield [{ earlier: item.text, ...item, kind }, logs.key, `${item.kind} as ${kind}`]
  }
  expect(await allWrong(pairs())).toEqual([])
}, 60_000)

it(
  `Of ${count} changed texts with lines of all three logs, seed ${seed}, none is accepted`,
  async () => {
    const random = randomFrom(seed)
    const all = [...signed, ...logs.stranger.items].map(({ text }) => text)
    const lines = (text: string): string =>
      text
        .split('\n')
        .filter((line) => !isOfOther(line, logs.key))
        .join('\n')
    function* drawn(): Iterable<readonly [Item, LogKey, string]> {
      for (let tried = 0; tried < count; ) {
        const item = random.pick(signed)
        const isEarlier = item.earlier !== undefined && random.chance(0.3)
        const change = mutated(isEarlier ? (item.earlier ?? '') : item.text, random, { all })
        if (change === undefined) continue
        tried++
        if (all.includes(lines(change.text))) continue
        yield [isEarlier ? { ...item, earlier: change.text } : { ...item, text: change.text }, logs.key, change.how]
      }
    }
    expect(await allWrong(drawn())).toEqual([])
  },
  30_000 + count * 20,
)

/** A signature of a key that the verifier does not know, which C2SP signed-note passes over. */
function isOfOther(line: string, { origin, key }: LogKey): boolean {
  const [, name, base64] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
  if (name === undefined || base64 === undefined) return false
  const id = Buffer.from(key.split('+')[1] ?? '', 'hex')
  return name !== origin || !Buffer.from(base64, 'base64').subarray(0, 4).equals(id)
}
