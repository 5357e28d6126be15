import { StorageError } from '@varve/core'

/** Several things are wrong at once. Each is a line for people, and an entry for programs. */
export class ManyProblems extends StorageError {
  readonly problems: readonly string[]

  constructor(message: string, problems: readonly string[]) {
    super('InvalidArgument', message)
    this.problems = problems
  }
}
