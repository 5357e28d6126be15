/** A served store with another client beside the attacker, and what both of them see. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf, resetPeak } from '../bounds/support/process-figures.ts'
import { serveStore } from '../bounds/support/served-store.ts'
import type { Attack } from './attack.ts'
import type { GaugeReading } from './gauge.ts'
import type { Probe } from './prober.ts'
import { narrowCredentials, runAttack, type Statuses } from './run-attack.ts'
import { layOut, probedBucket } from './scenery.ts'

export interface Outcome {
  readonly name: string
  readonly probe: Probe
  readonly loop: GaugeReading
  /** MiB of anonymous memory (`RssAnon`) above the idle server's, at the most: without pages of mapped files. */
  readonly memory: number
  /** Of the requests in the minute before in which there was no attack: what this machine does by itself. */
  readonly baseline: Baseline
  readonly statuses: Statuses
}

/** Milliseconds of the longest request, and of the longest without the time that had no processor. */
export interface Baseline {
  readonly longest: number
  readonly longestServed: number
}

export interface Range {
  /**
   * Takes what the server holds now, garbage collected, for its idle state, and returns it in MiB of anonymous memory. Call it
   * after a first round, which loads and compiles code and fills pools.
   */
  settle(): Promise<number>
  attack(attack: Attack, ms: number): Promise<Outcome>
  /** Without an attack: a baseline. */
  rest(ms: number): Promise<Outcome>
  close(): Promise<void>
}

const compiled = (name: string): string => new URL(`../dist/attacks/${name}.js`, new URL('.', locationOfSources())).href

/** The processes run what is compiled, whether this is it or the sources of it. */
function locationOfSources(): string {
  return import.meta.url.replace('/dist/attacks/', '/attacks/')
}

const mib = 2 ** 20
const settleMs = 1500
const baselineMs = 60_000

/** The requests of the other client while there was no attack. */
class Baselines {
  #recent: (Baseline & { readonly at: number })[] = []

  add({ longest, longestServed }: Baseline): void {
    const now = performance.now()
    this.#recent = this.#recent.filter(({ at }) => now - at < baselineMs)
    this.#recent.push({ longest, longestServed, at: now })
  }

  latest(): Baseline {
    return {
      longest: Math.max(0, ...this.#recent.map(({ longest }) => longest)),
      longestServed: Math.max(0, ...this.#recent.map(({ longestServed }) => longestServed)),
    }
  }
}

export async function openRange(): Promise<Range> {
  const root = await mkdtemp(join(tmpdir(), 'varve-attacks-'))
  const identities = join(root, 'identities.json')
  await writeFile(identities, JSON.stringify({ identities: [narrow] }), { mode: 0o600 })
  const served = await serveStore(join(root, 'store'), {
    preload: compiled('gauge'),
    args: ['--identities', identities, '--bucket-defaults', 'open'],
  })
  await layOut(served)
  const prober = fork(new URL(compiled('prober')), [String(served.port), probedBucket, String(served.pid)])
  await once(prober, 'message')
  const baselines = new Baselines()
  let idle = 0

  async function watched(name: string, act: () => Promise<Statuses>): Promise<Outcome> {
    served.process.send('gauge: reset')
    prober.send('reset')
    await resetPeak(served.pid)
    const before = await memoryOf(served.pid)
    const statuses = await act()
    const probe = await requested<Probe>(prober, 'read')
    const { gauge } = await requested<{ readonly gauge: GaugeReading }>(served.process, 'gauge: read')
    const after = await memoryOf(served.pid)
    // The kernel keeps the peak of both kinds together: what was mapped all the while is not anonymous.
    const memory = (after.peak - Math.min(before.mapped, after.mapped)) / mib - idle
    return { name, probe, loop: gauge, memory, statuses, baseline: baselines.latest() }
  }

  async function settle(): Promise<number> {
    await delay(settleMs)
    await requested(served.process, 'gauge: collect')
    await delay(settleMs)
    return (idle = (await memoryOf(served.pid)).own / mib)
  }

  return {
    attack: (attack, ms) => watched(attack.name, () => runAttack(attack, served.port, ms)),
    async rest(ms) {
      const outcome = await watched('no attack', async () => delay(ms, {}))
      baselines.add(outcome.probe)
      return outcome
    },
    settle,
    async close() {
      prober.kill()
      await served.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

const narrow = {
  name: 'narrow',
  ...narrowCredentials,
  policy: {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 's3:*',
        Resource: ['arn:aws:s3:::f*l', 'arn:aws:s3:::f*l/*', 'arn:aws:s3:::policy-*/*a'],
      },
      { Effect: 'Allow', Action: ['varve:ReadLog'], Resource: '*' },
    ],
  },
}

async function requested<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message')
  child.send(question)
  const [message] = (await answer) as [T]
  return message
}
