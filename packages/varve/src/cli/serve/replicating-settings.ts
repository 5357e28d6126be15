/** Options of replicas need a replica: without one, a mistyped `--replicate` would go unnoticed. */
import { UsageError } from '../support/exit-codes.ts'

const prefix = 'replicate-'

/**
 * @param fields The names of the options that are set, such as `replicate-every`.
 * @throws UsageError
 */
export function checkReplicating(
  fields: readonly string[],
  { replicate = [] }: { readonly replicate?: readonly string[] },
): void {
  const [lonely] = replicatingFields(fields)
  if (replicate.length === 0 && lonely !== undefined)
    throw new UsageError(`--${lonely} is for replicas, and there is none.`, { hint: 'Name one with `--replicate`.' })
}

/** Those of the options that are for replicas. */
export const replicatingFields = (fields: readonly string[]): readonly string[] =>
  fields.filter((field) => field.startsWith(prefix))
