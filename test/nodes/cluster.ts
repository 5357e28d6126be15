/** The cluster of `npm run cluster` in a directory of its own: databases, an S3 server, three nodes and a balancer. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Links } from './links.ts'

interface Plan {
  readonly dir: string
  readonly ports: Readonly<Record<string, number>>
  readonly nodes: readonly string[]
  readonly databases: readonly string[]
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly password: string
}

interface Member {
  readonly name: string
}

interface Processes {
  start(dir: string, member: Member): Promise<void>
  crash(dir: string, name: string): Promise<void>
  crashServer(dir: string, name: string): void
  isRunning(dir: string, name: string): boolean
  pause(dir: string, name: string): void
  resume(dir: string, name: string): void
  end(dir: string, name: string): Promise<void>
}

type Route = (from: string, to: string) => number

const load = async (name: string): Promise<unknown> =>
  import(new URL(`../../scripts/cluster/${name}.mjs`, import.meta.url).href)

const { loadPlan } = (await load('plan')) as {
  loadPlan(dir: string, port: number, isReplicated: boolean): Promise<Plan>
}
const { membersOf } = (await load('members')) as { membersOf(plan: Plan, route?: Route): readonly Member[] }
const processes = (await load('processes')) as Processes
export const { missingForReplication } = (await load('programs')) as { missingForReplication(): readonly string[] }

export interface Cluster {
  /** The address of the balancer. */
  readonly url: string
  readonly plan: Plan
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  kill(name: string): Promise<void>
  /** Ends the server of PostgreSQL of a database, and not Patroni. */
  killServer(name: string): void
  /** Starts it again, if it does not run. */
  start(name: string): Promise<void>
  /** It stands still until `resume`. */
  pause(name: string): void
  resume(name: string): void
  /** Ends all of it, and removes its data. */
  stop(): Promise<void>
}

export const startCluster = async (): Promise<Cluster> => startMembers(await scratch(false), undefined)

/** A cluster whose database has standbys, and whose connections can be cut. */
export async function startReplicatedCluster(): Promise<Cluster & { readonly links: Links }> {
  const plan = await scratch(true)
  const links = new Links()
  const pairs: (readonly [string, string])[] = []
  membersOf(plan, (from, to) => {
    pairs.push([from, to])
    return 0
  })
  for (const [from, to] of new Map(pairs.map((pair) => [pair.join(' '), pair])).values()) {
    await links.add(from, to, plan.ports[to] as number)
  }
  const cluster = await startMembers(plan, (from, to) => links.between(from, to).port)
  return { ...cluster, links, stop: () => cluster.stop().finally(() => links.close()) }
}

async function scratch(isReplicated: boolean): Promise<Plan> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-cluster-'))
  // PostgreSQL may run as another user, and its data is in here.
  await chmod(dir, 0o755)
  return loadPlan(dir, 0, isReplicated)
}

async function startMembers(plan: Plan, route: Route | undefined): Promise<Cluster> {
  const { dir, accessKeyId, secretAccessKey, ports } = plan
  const members = membersOf(plan, route)
  async function stop(): Promise<void> {
    if (process.env['VARVE_KEEP_CLUSTER'] !== undefined) console.log(`The cluster is in ${dir}.`)
    for (const { name } of members.toReversed()) await processes.end(dir, name)
    if (process.env['VARVE_KEEP_CLUSTER'] === undefined) await rm(dir, { recursive: true, force: true })
  }
  try {
    for (const member of members) await processes.start(dir, member)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `http://127.0.0.1:${ports['balancer']}`,
    plan,
    credentials: { accessKeyId, secretAccessKey },
    kill: (name) => processes.crash(dir, name),
    killServer: (name) => processes.crashServer(dir, name),
    async start(name) {
      if (processes.isRunning(dir, name)) return
      await processes.start(dir, members.find((member) => member.name === name) as Member)
    },
    pause: (name) => processes.pause(dir, name),
    resume: (name) => processes.resume(dir, name),
    stop,
  }
}
