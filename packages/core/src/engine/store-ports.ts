import type {
  BlobStore,
  Ciphers,
  Clock,
  Confirmation,
  Copy,
  ErasureCopies,
  Hashing,
  Ids,
  Journal,
  Keyring,
  KeySecrets,
  LogSigner,
  Observer,
  PolicyCheck,
  Reserve,
  Scratch,
  Secret,
  TimeRecord,
  Timer,
  Witness,
} from '../ports/index.ts'

/** Everything outside the process that a store uses. */
export interface StorePorts {
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly ids: Ids
  readonly hashing: Hashing
  /** If absent, a journal that lost its end is not noticed. */
  readonly witness?: Witness
  /** Must have a commit before it is acknowledged. If absent, the disk suffices. */
  readonly confirmation?: Confirmation
  /** Damaged bytes are healed from these, in this order. If absent, damage stays. Needs `timer`. */
  readonly copies?: readonly Copy[]
  /** An erasure on purpose waits for these. If absent, it ends with the files of the store. */
  readonly erasureCopies?: ErasureCopies
  /** If absent, the store assumes that the medium has room. */
  readonly reserve?: Reserve
  /** If absent, encryption is not available. */
  readonly ciphers?: Ciphers
  /** If absent, only keys that clients send can encrypt. */
  readonly keyring?: Keyring
  /** If absent, uploads in progress get new ids each time the store is opened. */
  readonly secret?: Secret
  /** If absent, policies of identities are stored as they are given. */
  readonly policies?: PolicyCheck
  /** If absent, identities can have no access keys. */
  readonly secrets?: KeySecrets
  /** If absent, no checkpoints of the log are signed. */
  readonly signer?: LogSigner
  /** If absent, only the log tells how much time passed while the store was closed. */
  readonly time?: TimeRecord
  /** If absent, background work cannot limit its rate. */
  readonly timer?: Timer
  /** If absent, nothing is measured. */
  readonly observer?: Observer
  /** Opens an empty journal. Without it, `verify` compares no views unless it is given one. */
  readonly openScratch?: () => Promise<Scratch>
}
