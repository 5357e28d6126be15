/** What can happen to a replicated cluster. */
import type { Random } from '../support/random.ts'
import type { Cluster } from './cluster.ts'
import { type Databases, switchOver } from './databases.ts'
import type { CommitMoment, Links } from './links.ts'

export interface Scene {
  readonly cluster: Cluster
  readonly links: Links
  readonly databases: Databases
  /** A node. */
  readonly node: string
  readonly random: Random
  /** Resolves when a node has the lease of a job, which it may never have. */
  untilLease(node: string): Promise<void>
}

export interface Fault {
  readonly name: string
  /** How long it lasts before it is healed, in milliseconds. */
  readonly lasts: readonly [min: number, max: number]
  strike(scene: Scene): Promise<unknown> | void
  /** Cut links are whole again already. */
  heal?(scene: Scene): Promise<unknown> | void
}

type Named = (scene: Scene) => string

const primary: Named = ({ databases }) => databases.primary
const standby: Named = ({ databases }) => databases.standby
const other: Named = ({ databases }) => databases.other
const node: Named = (scene) => scene.node
const blobs: Named = () => 'blobs'
const etcd: Named = () => 'etcd'

const killed = (name: string, of: Named, lasts: Fault['lasts']): Fault => ({
  name: `kill ${name}`,
  lasts,
  strike: (scene) => scene.cluster.kill(of(scene)),
  heal: (scene) => scene.cluster.start(of(scene)),
})

const paused = (name: string, of: Named, lasts: Fault['lasts']): Fault => ({
  name: `pause ${name}`,
  lasts,
  strike: (scene) => scene.cluster.pause(of(scene)),
  heal: (scene) => scene.cluster.resume(of(scene)),
})

const cut = (name: string, lasts: Fault['lasts'], links: (scene: Scene) => void): Fault => ({
  name: `cut ${name}`,
  lasts,
  strike: links,
})

const commits = (moment: CommitMoment, name: string): Fault => ({
  name: `cut commits ${name}`,
  lasts: [1000, 2000],
  strike({ cluster, links }) {
    for (const each of cluster.plan.nodes) links.between(each, 'postgres').cutCommits(moment, 2)
  },
  heal({ cluster, links }) {
    for (const each of cluster.plan.nodes) links.between(each, 'postgres').cutCommits(moment, 0)
  },
})

/** The network of one server of the database. */
function isolate({ links, cluster }: Scene, name: string): void {
  links.between(name, 'etcd').cut()
  for (const to of [name, `${name}-rest`]) for (const from of ['haproxy', 'databases']) links.between(from, to).cut()
  for (const each of cluster.plan.databases) links.between('databases', each).cut(name)
}

const replicationTo = ({ links, databases }: Scene, name: string): void =>
  links.between('databases', databases.primary).cut(name)

export const faults: readonly Fault[] = [
  killed('the primary', primary, [500, 8000]),
  commits('during', 'that the server has'),
  paused('the primary', primary, [9000, 12_000]),
  cut('the primary from all', [7000, 12_000], (scene) => isolate(scene, scene.databases.primary)),
  killed('a node', node, [0, 3000]),
  commits('before', 'before the server has them'),
  commits('answer', 'that were answered'),
  { name: 'kill the server of the primary', lasts: [500, 2000], strike: (s) => s.cluster.killServer(primary(s)) },
  killed('the synchronous standby', standby, [500, 6000]),
  killed('the other standby', other, [500, 3000]),
  {
    ...killed('the holder of a lease', node, [0, 3000]),
    async strike(scene) {
      await scene.untilLease(scene.node)
      await scene.cluster.kill(scene.node)
    },
  },
  killed('the S3 server', blobs, [0, 3000]),
  killed('etcd', etcd, [500, 8000]),
  paused('the synchronous standby', standby, [4000, 8000]),
  paused('a node', node, [16_000, 18_000]),
  paused('the S3 server', blobs, [500, 8000]),
  cut('the primary from etcd', [3000, 10_000], (scene) => scene.links.between(primary(scene), 'etcd').cut()),
  cut('the primary from its standby', [2000, 8000], (scene) => replicationTo(scene, standby(scene))),
  cut('the primary from HAProxy', [1000, 6000], (scene) => scene.links.between('haproxy', primary(scene)).cut()),
  cut('a node from the database', [1000, 18_000], (scene) => scene.links.between(scene.node, 'postgres').cut()),
  cut('a node from the S3 server', [1000, 8000], (scene) => scene.links.between(scene.node, 'blobs').cut()),
  cut('the balancer from a node', [1000, 5000], (scene) => scene.links.between('balancer', scene.node).cut()),
  {
    name: 'switch over',
    lasts: [0, 1000],
    strike: (scene) => void switchOver(scene.cluster, scene.databases),
  },
  {
    // It recovers with commits that no standby has, and is lost with them.
    name: 'kill the primary twice while it is alone',
    lasts: [500, 4000],
    async strike(scene) {
      for (const name of [standby(scene), other(scene)]) replicationTo(scene, name)
      await new Promise((resolve) => setTimeout(resolve, 300))
      scene.cluster.killServer(primary(scene))
      await new Promise((resolve) => setTimeout(resolve, 500 + scene.random.below(3000)))
      await scene.cluster.kill(primary(scene))
      scene.links.heal()
    },
    heal: (scene) => scene.cluster.start(primary(scene)),
  },
]
