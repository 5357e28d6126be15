/** The requests that a server for tests works on, so that it can end them. */
import { type InterceptedRequest, type Result, S3Error } from '@varve/http'

/**
 * Ends a request whose server was reset or stopped. SDKs do not send it again: the next test would find what the request
 * of an earlier one writes.
 */
const aborted = (): S3Error => new S3Error('OperationAborted', 'The server was reset while it worked on this request.')

interface RequestInProgress {
  readonly client: InterceptedRequest['client']
  /** Refuses the request. Absent once it has an answer. */
  refuse: ((reason: S3Error) => void) | undefined
}

export class RequestsInProgress {
  readonly #all = new Set<RequestInProgress>()
  #hasEnded = false

  /** Runs a request until it has its answer or is ended. @throws S3Error `OperationAborted`, and what `work` throws */
  async run({ client }: InterceptedRequest, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasEnded) throw aborted()
    const request: RequestInProgress = { client, refuse: undefined }
    const refused = new Promise<never>((_, reject) => {
      request.refuse = reject
    })
    this.#all.add(request)
    client.onOver(() => this.#all.delete(request))
    try {
      return await Promise.race([work(), refused])
    } finally {
      request.refuse = undefined
    }
  }

  /** Refuses requests without an answer, and cuts answers that are still being sent. Later requests are refused. */
  end(): void {
    this.#hasEnded = true
    for (const { client, refuse } of this.#all) {
      if (refuse === undefined) client.disconnect?.()
      else refuse(aborted())
    }
  }
}
