/** The meaning of a code for shells, HTTP clients and JSON-RPC peers. */
interface ErrorCodeMeaning {
  /** Process exit code of `synapse call`. 124 is that of GNU `timeout`, 130 of an interrupt, 70 is EX_SOFTWARE. */
  readonly exitCode: number;
  readonly httpStatus: number;
  /** JSON-RPC 2.0: -32602 invalid params, -32603 internal, -32000…-32099 server-defined. */
  readonly jsonRpcCode: number;
  /** Whether repeating the same call may succeed. */
  readonly retryable: boolean;
}

/**
 * All failure codes of a call. The table is closed: each row must state every meaning, so a new code does
 * not compile until all interfaces handle it.
 */
export const ERROR_CODES = {
  invalid_arguments: { exitCode: 2, httpStatus: 400, jsonRpcCode: -32602, retryable: false },
  unknown_tool: { exitCode: 2, httpStatus: 404, jsonRpcCode: -32602, retryable: false },
  approval_required: { exitCode: 4, httpStatus: 403, jsonRpcCode: -32001, retryable: false },
  denied: { exitCode: 3, httpStatus: 403, jsonRpcCode: -32002, retryable: false },
  outside_workspace: { exitCode: 3, httpStatus: 403, jsonRpcCode: -32003, retryable: false },
  not_found: { exitCode: 5, httpStatus: 404, jsonRpcCode: -32004, retryable: false },
  not_a_repository: { exitCode: 1, httpStatus: 404, jsonRpcCode: -32005, retryable: false },
  already_exists: { exitCode: 1, httpStatus: 409, jsonRpcCode: -32006, retryable: false },
  wrong_type: { exitCode: 1, httpStatus: 422, jsonRpcCode: -32007, retryable: false },
  binary_file: { exitCode: 1, httpStatus: 415, jsonRpcCode: -32008, retryable: false },
  too_large: { exitCode: 1, httpStatus: 413, jsonRpcCode: -32009, retryable: false },
  encoding: { exitCode: 1, httpStatus: 422, jsonRpcCode: -32010, retryable: false },
  no_match: { exitCode: 1, httpStatus: 422, jsonRpcCode: -32011, retryable: false },
  ambiguous_match: { exitCode: 1, httpStatus: 409, jsonRpcCode: -32012, retryable: false },
  conflict: { exitCode: 1, httpStatus: 409, jsonRpcCode: -32013, retryable: false },
  busy: { exitCode: 1, httpStatus: 503, jsonRpcCode: -32014, retryable: true },
  unavailable: { exitCode: 1, httpStatus: 503, jsonRpcCode: -32015, retryable: false },
  tool_failed: { exitCode: 1, httpStatus: 500, jsonRpcCode: -32016, retryable: false },
  timeout: { exitCode: 124, httpStatus: 504, jsonRpcCode: -32017, retryable: true },
  cancelled: { exitCode: 130, httpStatus: 499, jsonRpcCode: -32018, retryable: true },
  internal: { exitCode: 70, httpStatus: 500, jsonRpcCode: -32603, retryable: false },
} as const satisfies Record<string, ErrorCodeMeaning>;

/** A failure code. */
export type ErrorCode = keyof typeof ERROR_CODES;
