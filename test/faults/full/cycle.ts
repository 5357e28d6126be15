/** One shortage of room, and all operations during it. */
import type { Shortage } from './shortages.ts'
import { crowd, type Deed, type Operation, readWitnesses } from './operations.ts'
import { type Holder, Refusal, type RefusalKind } from './target.ts'

type Outcome = 'ok' | RefusalKind

interface Attempt {
  readonly operation: Operation
  readonly deed: Deed
  outcome: Outcome
}

export interface CycleResult {
  readonly wrong: string[]
  /** How often each answer was given. */
  readonly answers: Readonly<Record<Outcome, number>>
  /** From the return of room to the first write. */
  readonly recoveredMs: number
}

export interface Cycle {
  readonly shortage: Shortage
  readonly operations: readonly Operation[]
  readonly point: string
  readonly holder: Holder
  /** Unique among the cycles. */
  readonly name: string
}

/**
 * Every operation is requested twice: when the room has just gone, and after more was written than there can be room
 * for. Then the room comes back.
 */
export async function runCycle({ shortage, operations, point, holder, name }: Cycle): Promise<CycleResult> {
  const { target, pid } = holder
  const wrong: string[] = []
  const prepare = async (when: string): Promise<Attempt[]> => {
    const attempts: Attempt[] = []
    for (const [i, operation] of operations.entries()) {
      attempts.push({ operation, deed: await operation.prepare(target, `${name}-${when}-${i}`), outcome: 'ok' })
    }
    return attempts
  }
  const [early, late] = [await prepare('early'), await prepare('late')]
  await shortage.begin(point, pid)
  try {
    for (const attempt of early) await tryOut(attempt, shortage, wrong)
    await crowd(target, name).catch(onlyRefusals)
    for (const attempt of late) await tryOut(attempt, shortage, wrong)
    wrong.push(...(await readWitnesses(target)))
  } finally {
    await shortage.end(point, pid)
  }
  const since = performance.now()
  await holder.recover()
  const recoveredMs = performance.now() - since
  for (const attempt of [...early, ...late]) await check(attempt, wrong)
  const answers = { ok: 0, full: 0, unavailable: 0 }
  for (const { outcome } of [...early, ...late]) answers[outcome]++
  return { wrong: wrong.map((line) => `${shortage.name}: ${line}`), answers, recoveredMs }
}

async function tryOut(attempt: Attempt, { gentle }: Shortage, wrong: string[]): Promise<void> {
  const { name, grows } = attempt.operation
  try {
    await attempt.deed.act()
  } catch (error) {
    onlyRefusals(error)
    attempt.outcome = error.kind
  }
  const expected = grows ? 'full' : 'ok'
  if (gentle && attempt.outcome !== expected) wrong.push(`${name}: ${attempt.outcome}, not ${expected}`)
}

function onlyRefusals(error: unknown): asserts error is Refusal {
  if (!(error instanceof Refusal)) throw error
}

/** Acknowledged is there, refused for want of room is not, and whatever it is, it is whole. */
async function check({ operation, deed, outcome }: Attempt, wrong: string[]): Promise<void> {
  try {
    const happened = await deed.happened()
    if (outcome === 'ok' && !happened) wrong.push(`${operation.name}: acknowledged, and lost`)
    if (outcome === 'full' && happened) wrong.push(`${operation.name}: refused, and there`)
    if (!happened) await deed.act()
    if (!(await deed.happened())) wrong.push(`${operation.name}: does not work now that there is room`)
  } catch (error) {
    wrong.push(`${operation.name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
