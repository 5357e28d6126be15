/**
 * One way of fuzzing for every parser. Inputs are valid ones, valid ones spoiled, and noise. For any input, a parser
 * answers, or refuses with a code it has promised, at once, and leaves nothing behind.
 *
 * FUZZ_RUNS: inputs for each parser (`npm run suite fuzz`: 100,000). FUZZ_SECONDS: the most time for each; the run is
 * cut short when it is over. FUZZ_SEED and FUZZ_PATH repeat a failure, whose message names both.
 */
import { isStorageError } from '@varve/core'
import { isS3Error } from '@varve/http'
import fc from 'fast-check'
import { describe, it } from 'vitest'

const runs = Number(process.env['FUZZ_RUNS'] ?? 500)
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const path = process.env['FUZZ_PATH']
const isLong = process.env['FUZZ_RUNS'] !== undefined
/** The same inputs in every short run, so that a red one is red again; others in every long one. */
const seed = Number(process.env['FUZZ_SEED'] ?? (isLong ? Date.now() % 2 ** 31 : 20_261_121))

/** The most that any input of up to 1 MB may cost, in milliseconds of a processor that has nothing else to do. */
const costMax = 100

/** Not typed as inputs are, or an input's type would be inferred from these. */
export type Heavy = Readonly<Record<string, () => unknown>>

/** Where to begin. */
export const seedOf = () => ({ seed, ...(path !== undefined && { path }) })

/** How far to go: a part of all, where inputs take that much longer, and as long as there is time. */
export const share = (part: number) => ({
  numRuns: Math.ceil(runs / part),
  ...(seconds > 0 && { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }),
})

export interface Parser<T, R = unknown> {
  readonly name: string
  readonly inputs: fc.Arbitrary<T>
  readonly parse: (input: T) => R
  /** Holds what came out to what is promised of it. @throws whatever, when it does not hold */
  readonly check?: (result: Awaited<R>, input: T) => void
  /** What it may refuse with. */
  readonly codes: readonly string[]
  /** Inputs of about 1 MB that would make a careless parser slow, by what they are. */
  readonly heavy?: Heavy
}

export function fuzz<T, R>(parser: Parser<T, R>): void {
  const { name, codes, heavy = {} } = parser
  describe(`any ${name}`, () => {
    it(
      `is read, or refused with ${codes.join(' or ') || 'nothing'}`,
      async () => {
        const began = performance.now()
        const result = await fc.check(propertyOf(parser), { ...seedOf(), ...share(1) })
        const took = (performance.now() - began) / 1000
        console.log(`${name}: ${result.numRuns} inputs, ${(result.numRuns / took).toFixed(0)}/s, seed ${result.seed}`)
        if (result.failed) throw new Error(replayed(name, result), { cause: result.errorInstance })
      },
      isLong ? 24 * 3600 * 1000 : 60_000,
    )

    it.each(Object.keys(heavy))(`of 1 MB is done with within ${costMax} ms: %s`, async (what) => {
      const input = heavy[what]?.() as T
      await mustBeQuick(() => attempt({ ...parser, check: () => undefined }, input))
    })
  })
}

/** Cheaper than `expect`, of which a million take minutes. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`It does not hold: ${what}`)
}

/** Every way of refusing is asynchronous where parsing is, and only there: waiting for each input would cost more than it. */
function propertyOf<T, R>(parser: Parser<T, R>): fc.IRawProperty<[T]> {
  const isAsync = parser.parse.constructor.name === 'AsyncFunction'
  if (!isAsync) return fc.property(parser.inputs, (input) => timed(parser, input)) as fc.IRawProperty<[T]>
  return fc.asyncProperty(parser.inputs, async (input) => {
    const began = performance.now()
    await attempt(parser, input)
    if (performance.now() - began > costMax) await mustBeQuick(() => attempt(parser, input))
  }) as fc.IRawProperty<[T]>
}

/** A second look in processor time: the first may have waited for others. */
function timed<T, R>(parser: Parser<T, R>, input: T): void {
  const began = performance.now()
  void attempt(parser, input)
  if (performance.now() - began < costMax) return
  const start = process.cpuUsage()
  void attempt(parser, input)
  mustBeBelow(spentSince(start))
}

function attempt<T, R>({ parse, check, codes }: Parser<T, R>, input: T): void | Promise<void> {
  const settle = (result: Awaited<R>) => {
    check?.(result, input)
    expectNoPollution()
  }
  const refuse = (error: unknown) => {
    if (!codes.includes(codeOf(error))) throw error
    expectNoPollution()
  }
  let result: R
  try {
    result = parse(input)
  } catch (error) {
    return refuse(error)
  }
  return result instanceof Promise ? result.then(settle, refuse) : settle(result as Awaited<R>)
}

/** Resolves to the result, or to the code it was refused with: for comparing two ways of reading the same. */
export async function outcome<T>(read: () => T | Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return isS3Error(error) || isStorageError(error) ? error.code : error instanceof Error ? error.name : typeof error
}

function expectNoPollution(): void {
  for (const name in {}) throw new Error(`Every object has ${name} now.`)
}

/** The best of some runs in processor time: what the work costs, not what else the machine was doing. */
async function mustBeQuick(act: () => void | Promise<void>): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5 && best >= costMax; run += 1) {
    const start = process.cpuUsage()
    await act()
    best = Math.min(best, spentSince(start))
  }
  mustBeBelow(best)
}

function mustBeBelow(cost: number): void {
  must(cost < costMax || cost < costMax * slowness(), `it took ${cost.toFixed(0)} ms`)
}

function spentSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** How much longer work takes here and now than on a quiet machine of the year 2020: a busy one shares its cores and caches. As long as what it is compared with. */
function slowness(): number {
  const text = 'name=value&'.repeat(200_000)
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run += 1) {
    const start = process.cpuUsage()
    new Map(text.split('&').map((pair, index) => [index, pair.split('=')]))
    best = Math.min(best, spentSince(start))
  }
  return Math.max(1, best / quietMs)
}

const quietMs = 80

/** One line that repeats the failure. */
export function replayed<T>(
  name: string,
  { seed: used, counterexamplePath, counterexample, errorInstance }: fc.RunDetails<[T]>,
) {
  const input = fc.stringify(counterexample?.[0]).slice(0, 2000)
  return `FUZZ_SEED=${used} FUZZ_PATH=${counterexamplePath} npx vitest run test/hostile/fuzz -t 'any ${name}' · ${input} · ${String(errorInstance)}`
}
