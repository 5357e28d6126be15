/**
 * How far jobs have come, where every engine on the log finds it: in rows of the journal. A copy or a rebuild of the log may
 * lose them, so a job must be able to begin again.
 */
import type { Hashing, Journal } from '../ports/index.ts'
import { coordinationRow, jobPlaceTable, readableRow } from '../sharing/coordination-rows.ts'
import type { JobName, ReplicationName } from './job-name.ts'

/** What has a row: a job, what a replica has confirmed, or up to where it has nothing of what was erased on purpose. */
export type PlaceName = JobName | `pins ${ReplicationName}` | `erased ${ReplicationName}`

export interface JobPlacePorts {
  readonly journal: Journal
  readonly hashing: Hashing
}

/** Reads and writes the rows. */
export class JobPlaces {
  readonly #ports: JobPlacePorts

  constructor(ports: JobPlacePorts) {
    this.#ports = ports
  }

  /** The last text that was written; `undefined` if there is none, or if it is damaged. */
  async read(name: PlaceName): Promise<string | undefined> {
    const { journal, hashing } = this.#ports
    const key = jobPlaceTable.key(name)
    const frame = await journal.get(key.bytes)
    return frame && readableRow(hashing, key, frame)?.text
  }

  /**
   * Does not check the lease of the job: an engine that has lost it may still record what it has done. A
   * job that goes on elsewhere then repeats some of it.
   */
  async write(name: PlaceName, text: string): Promise<void> {
    const { journal, hashing } = this.#ports
    const row = coordinationRow(hashing, jobPlaceTable.key(name), { text })
    await journal.commit({ events: [], rows: [row], outsideLog: true })
  }
}
