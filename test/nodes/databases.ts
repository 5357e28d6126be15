/** What Patroni says about the servers of a database. */
import type { Cluster } from './cluster.ts'

interface Described {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
}

export interface Databases {
  readonly primary: string
  /** The standby that commits wait for. */
  readonly standby: string
  /** The standby that may be behind. */
  readonly other: string
}

/** The roles, once all three work and one standby is synchronous. `undefined` before. */
export async function databasesOf({ plan }: Cluster): Promise<Databases | undefined> {
  const answers = await Promise.all(plan.databases.map((name) => membersAt(plan.ports[`${name}-rest`] as number)))
  const named = (members: readonly Described[], ...roles: readonly string[]) =>
    members.find(({ role, state }) => roles.includes(role) && ['running', 'streaming'].includes(state))
  const all = answers.map((members) => ({
    primary: named(members, 'leader')?.name,
    standby: named(members, 'sync_standby')?.name,
    other: named(members, 'replica')?.name,
    timelines: new Set(members.map(({ timeline }) => timeline)).size,
  }))
  const [first] = all
  if (first === undefined || all.some((each) => JSON.stringify(each) !== JSON.stringify(first))) return undefined
  const { primary, standby, other, timelines } = first
  if (primary === undefined || standby === undefined || other === undefined || timelines !== 1) return undefined
  return { primary, standby, other }
}

async function membersAt(port: number): Promise<readonly Described[]> {
  const at = `http://127.0.0.1:${port}`
  try {
    const signal = AbortSignal.timeout(2000)
    const [answer, health] = await Promise.all([fetch(`${at}/cluster`, { signal }), fetch(`${at}/health`, { signal })])
    if (!health.ok) return []
    return ((await answer.json()) as { members: readonly Described[] }).members
  } catch {
    return []
  }
}

/** Gives the role of the primary to the standby, as an administrator does. */
export async function switchOver({ plan }: Cluster, { primary, standby }: Databases): Promise<void> {
  await fetch(`http://127.0.0.1:${plan.ports[`${primary}-rest`]}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: primary, candidate: standby }),
    signal: AbortSignal.timeout(30_000),
  }).catch(() => undefined)
}
