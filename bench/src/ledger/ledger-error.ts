/** What is wrong with a ledger. The codes are stable; docs/bench.md lists them. */
export type LedgerErrorCode = 'BrokenLedgerEntry' | 'LedgerEntryExists' | 'OtherMachine'

export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly code: LedgerErrorCode

  constructor(code: LedgerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
