"""A position as an array of pixels."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from joute.errors import JouteError
from joute.games.scene import Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def pixels(scene: Scene, cell_px: int = 48) -> NDArray[np.uint8]:
    """The drawing on white, of shape (height, width, 3); text needs a font of the system."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise JouteError("pictures need resvg_py and Pillow: pip install 'joute[pettingzoo]'") from error
    import numpy as np

    png = bytes(resvg_py.svg_to_bytes(svg_string=scene.svg(cell_px), background="white"))
    with Image.open(io.BytesIO(png)) as picture:
        return np.array(picture.convert("RGB"))
