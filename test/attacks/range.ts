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
  /** MiB of resident memory above the idle server's, at the most. */
  readonly memory: number
  readonly statuses: Statuses
}

export interface Range {
  attack(attack: Attack, ms: number): Promise<Outcome>
  /** What the other client sees while nobody attacks: what this machine does by itself. */
  rest(ms: number): Promise<Outcome>
  close(): Promise<void>
}

const compiled = (name: string): string => new URL(`../dist/attacks/${name}.js`, new URL('.', locationOfSources())).href

/** The processes run what is compiled, whether this is it or the sources of it. */
function locationOfSources(): string {
  return import.meta.url.replace('/dist/attacks/', '/attacks/')
}

const mib = 2 ** 20

export async function openRange(): Promise<Range> {
  const root = await mkdtemp(join(tmpdir(), 'varve-attacks-'))
  const identities = join(root, 'identities.json')
  await writeFile(identities, JSON.stringify({ identities: [narrow] }), { mode: 0o600 })
  const served = await serveStore(join(root, 'store'), {
    preload: compiled('gauge'),
    args: ['--identities', identities, '--bucket-defaults', 'open'],
  })
  await layOut(served)
  const prober = fork(new URL(compiled('prober')), [String(served.port), probedBucket])
  await once(prober, 'message')
  await delay(1000)
  const idle = (await memoryOf(served.pid)).resident

  async function watched(name: string, act: () => Promise<Statuses>): Promise<Outcome> {
    served.process.send('gauge: reset')
    prober.send('reset')
    await resetPeak(served.pid)
    const statuses = await act()
    const probe = await asked<Probe>(prober, 'read')
    const { gauge } = await asked<{ readonly gauge: GaugeReading }>(served.process, 'gauge: read')
    const memory = ((await memoryOf(served.pid)).peak - idle) / mib
    return { name, probe, loop: gauge, memory, statuses }
  }

  return {
    attack: (attack, ms) => watched(attack.name, () => runAttack(attack, served.port, ms)),
    rest: (ms) => watched('nobody attacks', async () => delay(ms, {})),
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
    Statement: {
      Effect: 'Allow',
      Action: 's3:*',
      Resource: ['arn:aws:s3:::f*l', 'arn:aws:s3:::f*l/*', 'arn:aws:s3:::policy-*/*a'],
    },
  },
}

async function asked<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message')
  child.send(question)
  const [message] = (await answer) as [T]
  return message
}
