/** The tasks that this process carries out. One engine on the log carries out tasks at a time. */
import { taskExists } from '../decide/task.ts'
import type { Jobs } from '../jobs/jobs.ts'

export class TaskSet {
  readonly #jobs: Pick<Jobs, 'run' | 'signal'>
  readonly #running = new Set<string>()

  constructor(jobs: Pick<Jobs, 'run' | 'signal'>) {
    this.#jobs = jobs
  }

  /** Aborts when the store closes. */
  get closing(): AbortSignal {
    return this.#jobs.signal
  }

  isRunning(id: string): boolean {
    return this.#running.has(id)
  }

  /** @throws StorageError `TaskExists`; as `Jobs.run` */
  async run(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#running.has(id)) throw taskExists(id)
    this.#running.add(id)
    try {
      await this.#jobs.run('tasks', work)
    } finally {
      this.#running.delete(id)
    }
  }
}
