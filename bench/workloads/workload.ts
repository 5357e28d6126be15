/** One question, asked of Varve and of a floor it cannot beat by much: what does the machine itself allow? */
export interface Workload {
  readonly name: string
  /** What the floor is. */
  readonly against: string
  /** Operations in one round. */
  readonly operations: number
  /** Makes both contenders ready in a directory of their own. */
  prepare(directory: string, operations: number): Promise<Contenders>
}

export interface Contenders {
  varve(round: number): Promise<void>
  floor(round: number): Promise<void>
  close(): Promise<void>
}

/** Runs `work(0)` to `work(count - 1)`, so many at a time. */
export async function inFlight(width: number, count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
