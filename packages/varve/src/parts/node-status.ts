/** What a node says about itself. It outlives the openings of its store, each of which has parts of its own. */
import type { DatabaseStatus } from '@varve/adapters'
import type { FailingPart, NodeHealth } from '@varve/http'
import type { JournalThere } from './journal-address.ts'
import type { BlobsThere } from './blobs-address.ts'
import { type PartProbe, partProbe } from './part-probe.ts'

interface Probes {
  readonly journal: PartProbe
  readonly blobs: PartProbe
}

export class NodeStatus implements NodeHealth {
  readonly name: string
  #isDraining = false
  #journal: JournalThere | undefined
  #probes: Probes | undefined

  constructor(name: string) {
    this.name = name
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** From now on balancers should send requests to other nodes. */
  drain(): void {
    this.#isDraining = true
  }

  /** The parts of the opening that begins. */
  use({ journal, ask }: Pick<BlobsThere, 'ask'> & { readonly journal: JournalThere }): void {
    this.#journal = journal
    this.#probes = {
      journal: partProbe({
        ask: () => journal.head(),
        sinceAnswer: () => journal.database().silentMs,
        code: 'JournalFailed',
      }),
      blobs: partProbe({ ask, code: 'BlobFailed' }),
    }
  }

  /** How the node uses its database. `undefined` before the first opening. */
  database(): DatabaseStatus | undefined {
    return this.#journal?.database()
  }

  async failing(): Promise<FailingPart | undefined> {
    if (this.#probes === undefined) return undefined
    const [journal, blobs] = await Promise.all([this.#probes.journal(), this.#probes.blobs()])
    if (journal !== undefined) return { part: 'journal', ...journal }
    return blobs === undefined ? undefined : { part: 'blobs', ...blobs }
  }
}
