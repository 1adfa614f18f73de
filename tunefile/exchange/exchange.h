/* The tuning database as JSON (hed_exchange_export(), hed_exchange_import()): one document.
 *
 *     {"format": "heddle tuning", "version": 1,
 *      "facts": [{"device": {...}, "name": "copy bytes/s", "value": 4.1e12}],
 *      "keys": [
 *       {"kernel": "blur", "source": "<32 digits>", "math": "fast", "objective": "time",
 *        "device": {"backend": "cuda", "platform": "NVIDIA CUDA", "name": "NVIDIA H200",
 *                   "vendor": "NVIDIA", "type": "gpu", "architecture": 90, "compute_units": 132},
 *        "driver": "...", "compiler": "...", "problem": "width=512 height=512",
 *        "choice": {"session": "<32 digits>", "settings": "...", "version": "0.1.0",
 *                   "begun": 1700000000, "config": "WG=64 TILE=4", "seconds": 1e-3,
 *                   "low": ..., "high": ..., "default_seconds": ...},
 *        "sessions": [
 *         {"session": "<32 digits>", "settings": "...", "version": "...", "begun": ...,
 *          "measurements": [
 *           {"number": 1, "outcome": "measured", "config": "...", "seconds": ..., "low": ...,
 *            "high": ..., "runs": 7, "build_seconds": ..., "at": ..., "deviation": ...,
 *            "text": "..."}]}]}]}
 *
 * Unknown numbers and empty texts of measurements are omitted; so are absent choices and
 * sessions. */
#ifndef HED_TUNEFILE_EXCHANGE_H
#define HED_TUNEFILE_EXCHANGE_H

#include "heddle/tune_file.h"
#include "support/json.h"

/* Imports documents that are in memory, as hed_exchange_import() does. */
hed_status hed_exchange_import_json(hed_database *database, hed_json *const *documents,
    uint32_t count, bool (*stop)(void), hed_database_changes *added, hed_error *error);

#endif
