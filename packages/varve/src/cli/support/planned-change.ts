/** A change that is planned and shown first, and made when a person agrees. */
import type { CliContext } from './context.ts'
import { isConfirmed } from './confirm.ts'
import { exitCodes, UsageError } from './exit-codes.ts'

export interface PlannedChangeOptions {
  readonly json?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export interface PlannedChange<R> {
  plan(): Promise<R>
  make(plan: R): Promise<R>
  isEmpty(plan: R): boolean
  /** What a person is asked before the change. */
  question(plan: R): string
  showPlan(plan: R): Promise<void>
  showJson(result: R): Promise<void>
  /** One line that tells what was done. */
  summary(result: R): string
}

/** @throws UsageError if the change would have to ask a program */
export function assertCanAsk({ json = false, yes = false, dryRun = false }: PlannedChangeOptions): void {
  if (json && !yes && !dryRun) throw new UsageError('--json does not ask.', { hint: 'Add `--yes` or `--dry-run`.' })
}

export async function makePlanned<R>(
  context: CliContext,
  { json = false, yes = false, dryRun = false }: PlannedChangeOptions,
  change: PlannedChange<R>,
): Promise<void> {
  const plan = await change.plan()
  if (dryRun) return json ? change.showJson(plan) : change.showPlan(plan)
  if (!json) await change.showPlan(plan)
  if (!change.isEmpty(plan) && !yes && !(await isConfirmed(context, change.question(plan)))) {
    context.note('Nothing was changed.')
    return context.finish(exitCodes.failed)
  }
  const done = await change.make(plan)
  return json ? change.showJson(done) : context.output.line(change.summary(done))
}
