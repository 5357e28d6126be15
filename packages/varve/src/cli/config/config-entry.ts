/** The parts of a configuration file, and what is wrong with them, each with its place. */

export interface Place {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** A field of the file, with the value that the file gives it. */
export interface ConfigEntry extends Place {
  readonly name: string
  readonly value: unknown
}

export interface ConfigProblem extends Place {
  /** What the file breaks: `port must be a whole number from 0 to 65535, not a text`. */
  readonly rule: string
}

export interface ConfigParts {
  readonly entries: readonly ConfigEntry[]
  readonly problems: readonly ConfigProblem[]
}
