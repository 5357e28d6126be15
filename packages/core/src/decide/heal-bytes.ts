import type { Rule } from './rule.ts'

/** What was done is stated: the engine has checked the bytes before. */
export const healBytes: Rule<'HealBytes', undefined> = {
  load: () => undefined,
  decide: (_state, data) => [{ type: 'BytesHealed', data }],
}
