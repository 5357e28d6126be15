/** One log and its nodes in the simulation: requests cost what was measured, and commits of several nodes are in each other's way. */
import { alone, type Cost, groupOfOneNode, oneNode, type OperationName } from './costs.ts'
import type { EventLoop, Processors } from './event-loop.ts'

/** Of the network and the disk, in milliseconds. They cost no processor time. */
export interface Waits {
  readonly roundTripMs: number
  readonly syncMs: number
}

/** How often a request waits for an answer of the database, one after another: ADR 56. */
const roundTrips = { put: 11, read: 4 } as const
/** What fits into one commit. */
const groupMax = 256

/** The parts of a small PUT: what each commit costs, and what each PUT in it costs. */
function split(where: 'node' | 'database'): { readonly commit: number; readonly each: number } {
  const commit = Math.max(0, (alone[where] - oneNode.put[where]) / (1 - 1 / groupOfOneNode))
  return { commit, each: Math.max(0, alone[where] - commit) }
}
const nodeParts = split('node')
const databaseParts = split('database')
/** A command that is decided again is not parsed, signed and answered again: about half of what a node does for a PUT. */
const decidedShare = 0.5

interface Node {
  readonly processors: Processors
  waiting: { readonly done: () => void }[]
  isCommitting: boolean
}

export class SimulatedLog {
  readonly #loop: EventLoop
  readonly #waits: Waits
  readonly database: Processors
  readonly nodes: readonly Node[]
  #head = 0
  #isLocked = false
  readonly #lockQueue: (() => void)[] = []
  commits = 0
  conflicts = 0
  committed = 0

  constructor(
    loop: EventLoop,
    waits: Waits,
    machines: { readonly database: Processors; readonly nodes: readonly Processors[] },
  ) {
    this.#loop = loop
    this.#waits = waits
    this.database = machines.database
    this.nodes = machines.nodes.map((processors) => ({ processors, waiting: [], isCommitting: false }))
  }

  request(name: OperationName, at: number, done: () => void): void {
    const node = this.nodes[at % this.nodes.length] as Node
    if (name === 'put') this.#put(node, done)
    else if (name === 'putLong') this.#plain(node, longBeforeCommit, () => this.#put(node, done))
    else this.#plain(node, oneNode[name], done)
  }

  #plain({ processors }: Node, cost: Cost, done: () => void): void {
    processors.work(cost.node / 2, () =>
      this.database.work(cost.database, () =>
        this.#loop.after(roundTrips.read * this.#waits.roundTripMs, () => processors.work(cost.node / 2, done)),
      ),
    )
  }

  #put(node: Node, done: () => void): void {
    node.processors.work(nodeParts.each * (1 - decidedShare), () => {
      node.waiting.push({ done })
      if (!node.isCommitting) this.#commit(node)
    })
  }

  #commit(node: Node): void {
    const group = node.waiting.splice(0, groupMax)
    node.isCommitting = true
    this.#attempt(node, group.length, () => {
      this.commits++
      this.committed += group.length
      for (const { done } of group) done()
      node.isCommitting = false
      if (node.waiting.length > 0) this.#commit(node)
    })
  }

  /** Decides on the newest state, and commits if it is still the newest one then. */
  #attempt(node: Node, size: number, done: () => void): void {
    const head = this.#head
    const databaseMs = databaseParts.commit + size * databaseParts.each
    const nodeMs = nodeParts.commit + size * nodeParts.each * decidedShare
    this.database.work(databaseMs, () =>
      this.#loop.after(roundTrips.put * this.#waits.roundTripMs, () =>
        node.processors.work(nodeMs, () => this.#lock(() => this.#try({ node, size, head, done }))),
      ),
    )
  }

  #try({ node, size, head, done }: { node: Node; size: number; head: number; done: () => void }): void {
    if (head !== this.#head) {
      this.conflicts++
      this.#unlock()
      this.#attempt(node, size, done)
      return
    }
    this.#loop.after(this.#waits.syncMs, () => {
      this.#head++
      this.#unlock()
      done()
    })
  }

  #lock(act: () => void): void {
    if (this.#isLocked) {
      this.#lockQueue.push(act)
      return
    }
    this.#isLocked = true
    act()
  }

  #unlock(): void {
    this.#isLocked = false
    const next = this.#lockQueue.shift()
    if (next !== undefined) this.#lock(next)
  }
}

/** What a long PUT costs beyond the commit that it shares with small ones. */
const longBeforeCommit: Cost = {
  node: Math.max(0, oneNode.putLong.node - oneNode.put.node),
  database: Math.max(0, oneNode.putLong.database - oneNode.put.database),
  blobs: oneNode.putLong.blobs,
}
