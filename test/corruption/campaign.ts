/** Many mutations, in processes of their own, and a table of the results. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Outcome, subjectName, subjects, type Verdict } from './trial.ts'

/** Built, wherever this is run from. */
const built = import.meta.url.endsWith('.ts') ? '../dist/corruption/worker.js' : 'worker.js'
const worker = fileURLToPath(new URL(built, import.meta.url))

export interface CampaignOptions {
  /** Where the material is. */
  readonly directory: string
  readonly from: number
  readonly count: number
  readonly workers: number
  /** No new one is begun after so many minutes. Default: all of them. */
  readonly minutes?: number
  onVerdict?(verdict: Verdict): void
}

export async function campaign(options: CampaignOptions): Promise<readonly Verdict[]> {
  const { from, count, workers } = options
  const verdicts = await Promise.all(
    Array.from({ length: workers }, (_, i) => runShare(options, from + i, Math.ceil((count - i) / workers))),
  )
  return verdicts.flat().sort((a, b) => a.seed - b.seed)
}

/** Every `workers`-th seed. A process that dies was killed by its last mutation: the next goes on behind it. */
async function runShare(options: CampaignOptions, first: number, count: number): Promise<Verdict[]> {
  const { workers: step, minutes = Number.POSITIVE_INFINITY } = options
  const end = performance.now() + minutes * 60_000
  const verdicts: Verdict[] = []
  for (let next = first; verdicts.length < count && performance.now() < end; next = first + verdicts.length * step) {
    const done = await runWorker(options, { from: next, count: count - verdicts.length, end })
    verdicts.push(...done)
    if (done.length === 0) throw new Error('A worker ended before its first mutation.')
  }
  return verdicts
}

interface Share {
  readonly from: number
  readonly count: number
  /** By `performance.now`. */
  readonly end: number
}

async function runWorker(
  { directory, workers, onVerdict }: CampaignOptions,
  { from, count, end }: Share,
): Promise<readonly Verdict[]> {
  const args = [worker, directory, from, workers, count].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<string>((resolve) => {
    child.once('close', (status, signal) => resolve(signal ?? String(status)))
  })
  const done: Verdict[] = []
  const take = (verdict: Verdict) => {
    done.push(verdict)
    onVerdict?.(verdict)
  }
  let begun: number | undefined
  // A mutation takes less than a second: an answer that never comes is as wrong as a wrong one.
  const stuck = setTimeout(() => child.kill('SIGKILL'), mutationMsMax)
  for await (const line of createInterface({ input: child.stdout })) {
    stuck.refresh()
    const messages = JSON.parse(line) as Verdict | { readonly seed: number; readonly outcome?: undefined }
    begun = messages.outcome === undefined ? messages.seed : undefined
    if (messages.outcome === undefined) continue
    take(messages)
    if (performance.now() >= end) break
  }
  // Out of time: what the worker has begun meanwhile does not count.
  if (performance.now() >= end && begun === undefined) child.kill()
  const status = await ended
  clearTimeout(stuck)
  if (begun !== undefined) take(deadAt(begun, status))
  return done
}

const mutationMsMax = 180_000

const deadAt = (seed: number, end: string): Verdict => {
  const subject = subjects[seed % subjects.length]
  const name = subject === undefined ? '' : subjectName(subject)
  return {
    seed,
    subject: name,
    what: '',
    outcome: end === 'SIGABRT' || end === 'SIGBUS' ? 'died' : 'silent',
    named: [],
    wrong: [`the process ended with ${end}`],
  }
}

const columns: readonly Outcome[] = ['refused', 'errors', 'found', 'harmless', 'stale', 'died', 'silent']
const repairs = ['repaired', 'partly', 'salvaged', 'lost', 'wrong'] as const

/** A line per kind of file, and the sum of all. */
export function table(verdicts: readonly Verdict[]): string {
  const line = (name: string, of: readonly Verdict[]) => {
    const counts = columns.map((outcome) => of.filter((verdict) => verdict.outcome === outcome).length)
    const mended = repairs.map((outcome) => of.filter(({ repair }) => repair === outcome).length)
    return [name.padEnd(30), ...[of.length, ...counts, ...mended].map((count) => String(count).padStart(9))].join('')
  }
  return [
    ['damaged'.padEnd(30), ...['tried', ...columns, ...repairs].map((name) => name.padStart(9))].join(''),
    ...subjects.map((subject) => {
      const name = subjectName(subject)
      return line(
        name,
        verdicts.filter((verdict) => verdict.subject === name),
      )
    }),
    line('all', verdicts),
  ].join('\n')
}

/** How to see one failure again. */
export const replayOf = ({ seed, subject, what, wrong }: Verdict): string =>
  `npm run suite corruption -- --seed ${seed}   # ${subject}: ${what}\n    ${wrong.slice(0, 3).join('\n    ')}`
