import type { ClientCapabilities } from 'vscode-languageserver-protocol';

/** The implemented client capabilities. A server sends less to a client with fewer capabilities. */
export const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true },
    // No files are created, moved or deleted for a server.
    workspaceEdit: { documentChanges: true, resourceOperations: [] },
    symbol: { dynamicRegistration: false },
  },
  textDocument: {
    synchronization: { dynamicRegistration: false },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    publishDiagnostics: { relatedInformation: false, versionSupport: true },
    definition: { linkSupport: false },
    implementation: { linkSupport: false },
    references: {},
    callHierarchy: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    rename: { prepareSupport: true },
  },
} satisfies ClientCapabilities;
