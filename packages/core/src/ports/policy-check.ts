/** Checks policies, whose language core does not know. */
export interface PolicyCheck {
  /** @throws StorageError `InvalidArgument` for a text that is no policy of this kind */
  check(text: string, kind: 'policy' | 'trust'): Promise<void>
}
