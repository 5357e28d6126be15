/**
 * Which calls fail, and how. The plan is called before every call, with the name of the operation and the number of
 * calls of it so far, so that a test can fail one exact call or all of them.
 */

export interface FaultyCall<Operation extends string> {
  readonly operation: Operation
  /** 1 for the first call of this operation. */
  readonly count: number
}

/**
 * `before`: the call fails and has no effect. `after`: the call takes effect and fails nevertheless. `alter`: the call
 * returns changed bytes without an error.
 */
export type Fault =
  | { readonly kind: 'before' | 'after'; readonly error: unknown }
  | { readonly kind: 'alter'; readonly alter: (bytes: Uint8Array) => Uint8Array }

export type FaultPlan<Operation extends string> = (call: FaultyCall<Operation>) => Fault | undefined

/** One fault at the `count`th call of one operation. */
export const faultAt =
  <Operation extends string>(operation: NoInfer<Operation>, count: number, fault: Fault): FaultPlan<Operation> =>
  (call) =>
    call.operation === operation && call.count === count ? fault : undefined

/** Flips the lowest bit of one byte: the smallest possible damage. */
export const flipBit =
  (at = 0): ((bytes: Uint8Array) => Uint8Array) =>
  (bytes) =>
    bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))

/** Runs calls under a plan. */
export interface Faults<Operation extends string> {
  run<T>(operation: Operation, work: () => Promise<T>, altered?: (result: T, alter: Alter) => T): Promise<T>
}

export type Alter = (bytes: Uint8Array) => Uint8Array

export function faultsOf<Operation extends string>(plan: FaultPlan<Operation>): Faults<Operation> {
  const counts = new Map<Operation, number>()
  return {
    async run(operation, work, altered = (result) => result) {
      const count = (counts.get(operation) ?? 0) + 1
      counts.set(operation, count)
      const fault = plan({ operation, count })
      if (fault?.kind === 'before') throw fault.error
      const result = await work()
      if (fault?.kind === 'after') throw fault.error
      return fault?.kind === 'alter' ? altered(result, fault.alter) : result
    },
  }
}
