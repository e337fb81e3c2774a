import type { View } from '../decode/inspection.js';
import type { Inspector } from './inspector.js';

/**
 * Exports the rows that are shown, and says how far it is. Where it cannot be pressed it is still there for the focus:
 * a disabled button would lose it.
 */
export function ExportButton({ inspector, view }: { inspector: Inspector; view: View }) {
  const { exported, exportFailure } = inspector;
  const waits = exported !== undefined || view.filterError !== undefined;
  const percent = `${Math.floor((exported ?? 0) * 100)}%`;
  return (
    <>
      <button type="button" aria-disabled={waits} onClick={() => !waits && inspector.exportCsv()}>
        Export CSV
      </button>
      {exported !== undefined && (
        <span class="summary" role="progressbar" aria-label="Export" aria-valuenow={Math.floor(exported * 100)}>
          Exporting {percent}
        </span>
      )}
      {exportFailure !== undefined && (
        <span class="error" role="alert">
          {exportFailure}
        </span>
      )}
    </>
  );
}
