/** The cluster of `npm run cluster` in a directory of its own: PostgreSQL, an S3 server, three nodes and a balancer. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Plan {
  readonly dir: string
  readonly ports: Readonly<Record<string, number>>
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface Member {
  readonly name: string
}

interface Processes {
  start(dir: string, member: Member): Promise<void>
  crash(dir: string, name: string): Promise<void>
  pause(dir: string, name: string): void
  resume(dir: string, name: string): void
  end(dir: string, name: string): Promise<void>
}

const load = async (name: string): Promise<unknown> =>
  import(new URL(`../../scripts/cluster/${name}.mjs`, import.meta.url).href)

const { loadPlan } = (await load('plan')) as { loadPlan(dir: string, port: number): Promise<Plan> }
const { membersOf } = (await load('members')) as { membersOf(plan: Plan): readonly Member[] }
const processes = (await load('processes')) as Processes

export interface Cluster {
  /** The address of the balancer. */
  readonly url: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  kill(name: string): Promise<void>
  /** Starts it again. */
  start(name: string): Promise<void>
  /** It stands still until `resume`. */
  pause(name: string): void
  resume(name: string): void
  /** Ends all of it, and removes its data. */
  stop(): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-cluster-'))
  // PostgreSQL may run as another user, and its data is in here.
  await chmod(dir, 0o755)
  const plan = await loadPlan(dir, 0)
  const members = membersOf(plan)
  async function stop(): Promise<void> {
    for (const { name } of members.toReversed()) await processes.end(dir, name)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    for (const member of members) await processes.start(dir, member)
  } catch (error) {
    await stop()
    throw error
  }
  const { accessKeyId, secretAccessKey, ports } = plan
  return {
    url: `http://127.0.0.1:${ports['balancer']}`,
    credentials: { accessKeyId, secretAccessKey },
    kill: (name) => processes.crash(dir, name),
    start: (name) => processes.start(dir, members.find((member) => member.name === name) as Member),
    pause: (name) => processes.pause(dir, name),
    resume: (name) => processes.resume(dir, name),
    stop,
  }
}
