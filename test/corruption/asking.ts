/** Reads everything from a store, and compares the answers with those of the undamaged store. */
import { isStorageError } from '@varve/core'
import { type FileCheck, openStore } from 'varve'
import { keyring } from './keyring.ts'
import { type Answers, ask, isError, isUnnamed, objectsIn, type Questions } from './answers.ts'

export interface Truth {
  readonly answers: Answers
  readonly questions: Questions
  /** The events, as JSON. */
  readonly log: readonly string[]
}

/** Opening with these options erases and sweeps nothing. */
export const looking = {
  create: false,
  sweepOrphans: false,
  sweepEveryMs: 0,
  retentionMs: Number.MAX_SAFE_INTEGER,
  keyring,
} as const

export async function truthOf(dir: string): Promise<Truth> {
  const store = await openStore(dir, looking)
  try {
    const positions = [10, Math.floor(store.seq / 2), store.seq - 5]
    const questions = { objects: await objectsIn(store), positions }
    const log: string[] = []
    for await (const event of store.log()) log.push(JSON.stringify(event))
    return { questions, answers: await ask(store, questions), log }
  } finally {
    await store.close()
  }
}

export interface Requested {
  readonly refused?: string
  readonly wrong: readonly string[]
  readonly errors: readonly string[]
  readonly unnamed: readonly string[]
}

/** Opens the store and reads everything. */
export async function askIn(dir: string, truth: Truth, check: FileCheck = 'bytes'): Promise<Requested> {
  let store: Awaited<ReturnType<typeof openStore>>
  try {
    store = await openStore(dir, { ...looking, check })
  } catch (error) {
    if (isStorageError(error)) return { refused: error.code, wrong: [], errors: [], unnamed: [] }
    return { wrong: [], errors: [], unnamed: [`open: ${String(error)}`] }
  }
  try {
    return compare(await ask(store, truth.questions), truth.answers)
  } finally {
    await store.close()
  }
}

function compare(answers: Answers, truth: Answers): Requested {
  const [wrong, errors, unnamed]: [string[], string[], string[]] = [[], [], []]
  for (const [name, expected] of truth) {
    const answer = answers.get(name)
    // If a listing failed, the questions about its entries were not put.
    if (answer === expected || answer === undefined || answer === forgotten) continue
    if (isUnnamed(answer)) unnamed.push(`${name}: ${answer}`)
    else if (isDamage(answer)) errors.push(answer.slice(1))
    else wrong.push(`${name}: ${answer.slice(0, 300)} instead of ${expected.slice(0, 300)}`)
  }
  return { wrong, errors, unnamed }
}

const damageCodes = new Set([
  'BlobCorrupt',
  'BlobMissing',
  'BlobFailed',
  'RowCorrupt',
  'LogCorrupt',
  'JournalFailed',
  'KeyUnavailable',
])
/**
 * Bytes of a removed version may be erased at any time, as far as `verify` can determine. So there is no expected
 * answer.
 */
const forgotten = '!ObjectErased'

/** An error about damage; `NoSuchKey` for something that is there is a wrong answer. */
const isDamage = (answer: string): boolean => isError(answer) && damageCodes.has(answer.slice(1))
